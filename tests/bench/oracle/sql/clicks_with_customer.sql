CREATE TEMP TABLE clicks_with_customer AS
SELECT
    click.event_id,
    click.clicks.session_id AS session_id,
    click.clicks.customer_id AS customer_id,
    click.clicks.product_id AS product_id,
    click.event_time AS clicked_at,
    change.customers.name AS name,
    change.customers.region AS region,
    CASE WHEN change.event_type != 'customer_left' THEN change.event_time END AS known_since,
    (change.event_id IS NOT NULL AND change.event_type != 'customer_left')::BIGINT AS known,
    1::BIGINT AS clicks,
    click.day
FROM (FROM events WHERE event_type = 'product_clicked') AS click
LEFT JOIN events AS change
    ON
        change.topic = 'customers'
        AND change.customers.customer_id = click.clicks.customer_id
        AND change.event_time <= click.event_time
QUALIFY row_number() OVER (PARTITION BY click.event_id ORDER BY change.event_time DESC NULLS LAST, change.event_id DESC) = 1;
