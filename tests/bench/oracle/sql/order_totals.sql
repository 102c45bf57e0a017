CREATE TEMP TABLE order_totals AS
SELECT
    date_trunc('minute', event_time) AS window_start,
    window_start + INTERVAL 1 MINUTE AS window_end,
    count(*) FILTER (event_type = 'order_placed') AS orders,
    sum(list_sum(list_transform(orders.items, lambda item: item.quantity)))::BIGINT AS items,
    sum(orders.total_cents)::BIGINT AS revenue_cents,
    window_start::DATE AS day
FROM events
WHERE event_type IN ('order_placed', 'items_added')
GROUP BY window_start;
