CREATE TEMP TABLE rolling_order_rate AS
SELECT
    event_id,
    orders.order_id AS order_id,
    event_time AS ordered_at,
    count(*) OVER last_5_minutes AS orders,
    (sum(orders.total_cents) OVER last_5_minutes)::BIGINT AS revenue_cents,
    day
FROM events
WHERE event_type = 'order_placed'
WINDOW last_5_minutes AS (
    ORDER BY event_time RANGE BETWEEN INTERVAL '4 minutes 59.999999 seconds' PRECEDING AND CURRENT ROW
);
