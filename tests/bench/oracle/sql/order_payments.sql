-- Each order with its first capture within three days; where an order_id was placed twice on a day, the same one as Spark takes.
CREATE TEMP TABLE order_payments AS
WITH placed AS (
    SELECT
        orders.order_id AS order_id,
        orders.customer_id AS customer_id,
        event_time AS ordered_at,
        orders.total_cents AS total_cents,
        day
    FROM events
    WHERE event_type = 'order_placed'
),

captured AS (
    SELECT
        payments.order_id AS order_id,
        payments.payment_id AS payment_id,
        event_time AS captured_at,
        payments.amount_cents AS amount_cents
    FROM events
    WHERE event_type = 'payment_captured'
)

SELECT
    placed.order_id AS order_id,
    customer_id,
    ordered_at,
    total_cents,
    CASE WHEN payment_id IS NULL THEN 'unpaid' ELSE 'paid' END AS payment_status,
    payment_id,
    captured_at,
    amount_cents,
    1::BIGINT AS orders,
    (payment_id IS NOT NULL)::BIGINT AS paid_orders,
    day
FROM placed
LEFT JOIN captured
    ON captured.order_id = placed.order_id
    AND captured_at BETWEEN ordered_at AND ordered_at + INTERVAL 3 DAYS
QUALIFY row_number() OVER (
    PARTITION BY placed.order_id, day
    ORDER BY
        captured_at NULLS LAST, payment_id NULLS LAST, amount_cents NULLS LAST,
        ordered_at, total_cents, customer_id
) = 1;
