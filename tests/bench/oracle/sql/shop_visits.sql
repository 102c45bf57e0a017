-- A visit begins with an activity that has none of the customer's in the 30 minutes before it, and has those up to the next beginning.
CREATE TEMP TABLE shop_visits AS
WITH activity AS (
    SELECT
        coalesce(searches.customer_id, clicks.customer_id, orders.customer_id) AS customer_id,
        topic,
        event_time,
        day
    FROM events
    WHERE event_type IN ('search_made', 'product_clicked', 'order_placed')
),

beginnings AS (
    SELECT DISTINCT
        customer_id,
        event_time AS started_at,
        day
    FROM activity
    WHERE NOT EXISTS (
        FROM activity AS earlier
        WHERE
            earlier.customer_id = activity.customer_id
            AND earlier.event_time < activity.event_time
            AND earlier.event_time >= activity.event_time - INTERVAL 30 MINUTES
    )
),

visits AS (
    SELECT
        *,
        lead(started_at) OVER (PARTITION BY customer_id ORDER BY started_at) AS next_at
    FROM beginnings
)

SELECT
    visits.customer_id,
    started_at,
    max(event_time) AS ended_at,
    (epoch_ms(max(event_time)) // 1000 - epoch_ms(started_at) // 1000)::BIGINT AS seconds,
    count(*) FILTER (topic = 'searches') AS searches,
    count(*) FILTER (topic = 'clicks') AS clicks,
    count(*) FILTER (topic = 'orders') AS orders,
    (count(*) FILTER (topic = 'orders') > 0)::BIGINT AS converted,
    1::BIGINT AS visits,
    visits.day
FROM visits
INNER JOIN activity
    ON
        activity.customer_id = visits.customer_id
        AND event_time >= started_at
        AND event_time <= started_at + INTERVAL 1 DAY
        AND (next_at IS NULL OR event_time < next_at)
GROUP BY visits.customer_id, started_at, visits.day;
