-- Records whose event time (or, without one, arrival) is the day's, or in the views' lookback before it or reach after it, and
-- other arrivals of the same ids; of changelogs, everything before.  `doc` is null where the value is no JSON, no UTF-8, missing or too long.
-- DuckDB's JSON allows a comma behind the last field or element; such a comma, outside of texts, is looked for apart.
CREATE TEMP TABLE records AS
WITH timed AS (
    SELECT
        *,
        (coalesce(event_time, arrival) >= getvariable('since') OR topic IN ('customers', 'saved_searches'))
            AND coalesce(event_time, arrival) < getvariable('until') AS own
    FROM archive
),

texts AS (
    SELECT
        topic,
        "partition",
        "offset",
        arrival,
        own,
        try(decode(key)) AS key,
        CASE WHEN octet_length(value) <= 65536 THEN try(decode(value)) END AS text
    FROM timed
    WHERE own OR event_id IN (SELECT event_id FROM timed WHERE own AND event_id IS NOT NULL)
)

SELECT
    * EXCLUDE (text),
    CASE
        WHEN
            regexp_matches(text, ',\s*[}\]]')
            AND regexp_matches(regexp_replace(text, '"(?:\\.|[^"\\])*"', '""', 'g'), ',\s*[}\]]') THEN NULL
        ELSE try_cast(text AS JSON)
    END AS doc
FROM texts;
