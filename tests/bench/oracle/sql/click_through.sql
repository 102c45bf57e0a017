CREATE TEMP TABLE click_through AS
WITH behind AS (
    SELECT
        search.event_id,
        click.event_time AS clicked_at,
        click.event_time <= search.event_time + INTERVAL 1 HOUR
        AND list_contains(search.searches.product_ids, click.clicks.product_id) AS follows
    FROM events AS search
    INNER JOIN events AS click
        ON
            click.event_type = 'product_clicked'
            AND click.clicks.session_id = search.searches.session_id
            AND click.event_time >= search.event_time
    WHERE search.event_type = 'search_made'
    QUALIFY row_number() OVER (PARTITION BY search.event_id ORDER BY click.event_time, click.event_id) <= 100
),

clicked AS (
    SELECT
        event_id,
        count(*) AS clicks,
        min(clicked_at) AS clicked_at
    FROM behind
    WHERE follows
    GROUP BY event_id
)

SELECT
    event_id,
    searches.session_id AS session_id,
    searches.customer_id AS customer_id,
    lower(trim(searches.query)) AS term,
    event_time AS searched_at,
    clicked_at,
    coalesce(clicks, 0) AS clicks,
    (clicks IS NOT NULL)::BIGINT AS clicked,
    1::BIGINT AS searches,
    day
FROM (SELECT events.* EXCLUDE (clicks), clicked.clicked_at, clicked.clicks FROM events LEFT JOIN clicked USING (event_id))
WHERE event_type = 'search_made';
