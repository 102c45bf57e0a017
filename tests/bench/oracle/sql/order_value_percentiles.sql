-- The nearest rank: of n totals in their order, the one at place ceil(p * n).
CREATE TEMP TABLE order_value_percentiles AS
SELECT
    time_bucket(INTERVAL 5 MINUTES, event_time, TIMESTAMP '1970-01-01') AS window_start,
    window_start + INTERVAL 5 MINUTES AS window_end,
    count(*) AS orders,
    list_sort(list(orders.total_cents)) AS totals,
    totals[(50 * count(*) + 99) // 100] AS p50_cents,
    totals[(95 * count(*) + 99) // 100] AS p95_cents,
    totals[(99 * count(*) + 99) // 100] AS p99_cents,
    max(orders.total_cents) AS largest_cents,
    window_start::DATE AS day
FROM events
WHERE event_type = 'order_placed'
GROUP BY window_start;
ALTER TABLE order_value_percentiles DROP COLUMN totals;
