CREATE TEMP TABLE open_orders_by_region AS
WITH placed AS (
    SELECT
        event_id,
        orders.order_id AS order_id,
        orders.customer_id AS customer_id,
        orders.total_cents AS total_cents,
        event_time AS ordered_at,
        day
    FROM events
    WHERE event_type = 'order_placed'
),

ends AS (
    SELECT
        coalesce(orders.order_id, payments.order_id) AS order_id,
        event_time AS ended_at
    FROM events
    WHERE event_type IN ('order_cancelled', 'payment_captured')
),

opened AS (
    SELECT
        placed.*,
        min(coalesce(ends.ended_at, placed.ordered_at + INTERVAL 30 DAYS)) AS ended_at
    FROM placed
    LEFT JOIN ends
        ON
            placed.order_id = ends.order_id
            AND ends.ended_at >= placed.ordered_at
            AND ends.ended_at < placed.ordered_at + INTERVAL 30 DAYS
    GROUP BY ALL
),

starts AS (
    SELECT *, ordered_at AS open_from FROM opened
    UNION
    SELECT opened.*, change.event_time AS open_from
    FROM opened
    INNER JOIN events AS change
        ON
            change.topic = 'customers'
            AND change.customers.customer_id = opened.customer_id
            AND change.event_time > opened.ordered_at
            AND change.event_time < opened.ended_at
    QUALIFY dense_rank() OVER (PARTITION BY opened.event_id ORDER BY change.event_time) <= 20
),

stays AS (
    SELECT
        *,
        coalesce(lead(open_from) OVER (PARTITION BY event_id ORDER BY open_from), ended_at) AS open_to
    FROM starts
)

SELECT
    stays.event_id,
    stays.order_id,
    stays.open_from,
    stays.open_to,
    stays.ordered_at,
    stays.customer_id,
    change.customers.region AS region,
    stays.total_cents,
    epoch_ms(stays.open_to) - epoch_ms(stays.open_from) AS open_ms,
    (stays.open_from = stays.ordered_at)::BIGINT AS orders,
    (stays.open_to = stays.ended_at AND stays.ended_at < stays.ordered_at + INTERVAL 30 DAYS)::BIGINT AS closed,
    stays.day
FROM stays
LEFT JOIN events AS change
    ON
        change.topic = 'customers'
        AND change.customers.customer_id = stays.customer_id
        AND change.event_time <= stays.open_from
QUALIFY
    row_number() OVER (
        PARTITION BY stays.event_id, stays.open_from ORDER BY change.event_time DESC NULLS LAST, change.event_id DESC
    ) = 1;
