CREATE TEMP TABLE payment_failures AS
SELECT
    time_bucket(INTERVAL 5 MINUTES, event_time, TIMESTAMP '1970-01-01') AS window_start,
    window_start + INTERVAL 5 MINUTES AS window_end,
    count(*) AS attempts,
    count(*) FILTER (event_type = 'payment_failed') AS failed,
    failed / attempts AS failure_rate,
    window_start::DATE AS day
FROM events
WHERE event_type IN ('payment_captured', 'payment_failed')
GROUP BY window_start;
