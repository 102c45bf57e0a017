-- Payments of the first 6 of every 10 minutes.
CREATE TEMP TABLE payment_health AS
SELECT
    time_bucket(INTERVAL 10 MINUTES, event_time, TIMESTAMP '1970-01-01') AS window_start,
    window_start + INTERVAL 6 MINUTES AS window_end,
    count(*) FILTER (event_type = 'payment_captured') AS captured,
    count(*) FILTER (event_type = 'payment_failed') AS failed,
    count(*) FILTER (event_type = 'payment_refunded') AS refunded,
    window_start::DATE AS day
FROM events
WHERE topic = 'payments' AND minute(event_time) % 10 < 6
GROUP BY window_start;
