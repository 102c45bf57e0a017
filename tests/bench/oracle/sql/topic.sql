-- Valid events of a topic, duplicates included; oracle/topics.py fills in the names that begin with a dollar sign.
-- Materialised, or DuckDB decodes a record again for every rule.
CREATE TEMP TABLE $topic AS
WITH parsed AS MATERIALIZED (
    SELECT
        * EXCLUDE (doc),
        json_keys(doc) AS fields,
        json_type(doc, [$paths]) AS types,
        $elements
        json_transform(doc, '{
            "event_id": "VARCHAR", "event_type": "VARCHAR", "event_time": "BIGINT", "schema_version": "INTEGER", $types
        }') AS event
    FROM records
    WHERE topic = '$topic' AND json_type(doc) = 'OBJECT'
),

read AS (
    SELECT
        *,
        CASE WHEN event.event_time BETWEEN 0 AND 253402300799999 THEN epoch_ms(event.event_time) END AS event_time,
        $present
    FROM parsed
)

SELECT
    topic,
    event.event_id AS event_id,
    event.event_type AS event_type,
    event_time,
    event.schema_version AS schema_version,
    struct_pack($payload) AS $topic,
    key,
    "partition",
    "offset",
    arrival,
    own
FROM read
WHERE
    list_has_all([$names], fields)
    AND len(fields) = len(list_distinct(fields))
    AND types[1] = 'VARCHAR' AND types[2] = 'VARCHAR'
    AND types[3] IN ('UBIGINT', 'BIGINT') AND types[4] IN ('UBIGINT', 'BIGINT')
    AND regexp_full_match(event.event_id, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}')
    AND event.schema_version = 1
    AND event_time BETWEEN arrival - INTERVAL 366 DAYS AND arrival + INTERVAL 5 MINUTES
    AND $conditions;
