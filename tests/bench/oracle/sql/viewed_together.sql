-- A session begins with a click that has none in the 30 minutes before it; the first 30 products of its first hour are paired.
CREATE TEMP TABLE viewed_together AS
WITH clicked AS (
    SELECT
        clicks.session_id AS session_id,
        clicks.product_id AS product_id,
        event_time,
        day
    FROM events
    WHERE event_type = 'product_clicked'
),

beginnings AS (
    SELECT DISTINCT
        session_id,
        event_time AS started_at,
        day
    FROM clicked
    WHERE NOT EXISTS (
        FROM clicked AS earlier
        WHERE
            earlier.session_id = clicked.session_id
            AND earlier.event_time < clicked.event_time
            AND earlier.event_time >= clicked.event_time - INTERVAL 30 MINUTES
    )
),

sessions AS (
    SELECT
        *,
        lead(started_at) OVER (PARTITION BY session_id ORDER BY started_at) AS next_at
    FROM beginnings
),

products AS (
    SELECT
        sessions.session_id,
        started_at,
        sessions.day,
        product_id
    FROM sessions
    INNER JOIN clicked
        ON
            clicked.session_id = sessions.session_id
            AND event_time BETWEEN started_at AND started_at + INTERVAL 1 HOUR
            AND (next_at IS NULL OR event_time < next_at)
    GROUP BY sessions.session_id, started_at, sessions.day, product_id
    QUALIFY row_number() OVER (PARTITION BY sessions.session_id, started_at ORDER BY min(event_time), product_id) <= 30
)

SELECT
    one.session_id,
    one.started_at,
    one.product_id,
    other.product_id AS partner_id,
    1::BIGINT AS sessions,
    one.day
FROM products AS one
INNER JOIN products AS other
    ON
        other.session_id = one.session_id
        AND other.started_at = one.started_at
        AND other.product_id > one.product_id;
