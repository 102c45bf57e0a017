-- Each order is in the eight windows of 8 minutes that begin at full minutes up to it.
CREATE TEMP TABLE orders_last_8_minutes AS
SELECT
    date_trunc('minute', event_time) - to_minutes(back) AS window_start,
    window_start + INTERVAL 8 MINUTES AS window_end,
    count(*) AS orders,
    sum(orders.total_cents)::BIGINT AS revenue_cents,
    window_start::DATE AS day
FROM events
CROSS JOIN range(8) AS backs (back)
WHERE event_type = 'order_placed'
GROUP BY window_start;
