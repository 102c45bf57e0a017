-- Valid customers, duplicates included. Materialised, or DuckDB decodes a record again for every rule.
CREATE TEMP TABLE customers AS
WITH parsed AS MATERIALIZED (
    SELECT
        * EXCLUDE (doc),
        json_keys(doc) AS fields,
        json_type(doc, [
            '$.event_id', '$.event_type', '$.event_time', '$.schema_version',
            '$.customer_id', '$.name', '$.region'
        ]) AS types,
        json_transform(doc, '{
            "event_id": "VARCHAR", "event_type": "VARCHAR", "event_time": "BIGINT", "schema_version": "INTEGER",
            "customer_id": "VARCHAR", "name": "VARCHAR", "region": "VARCHAR"
        }') AS event
    FROM records
    WHERE topic = 'customers' AND json_type(doc) = 'OBJECT'
),

read AS (
    SELECT
        *,
        CASE WHEN event.event_time BETWEEN 0 AND 253402300799999 THEN epoch_ms(event.event_time) END AS event_time,
        coalesce(types[5], 'NULL') <> 'NULL' AS has_customer_id,
        coalesce(types[6], 'NULL') <> 'NULL' AS has_name,
        coalesce(types[7], 'NULL') <> 'NULL' AS has_region
    FROM parsed
)

SELECT
    topic,
    event.event_id AS event_id,
    event.event_type AS event_type,
    event_time,
    event.schema_version AS schema_version,
    struct_pack(
        customer_id := event.customer_id,
        name := event.name,
        region := event.region
    ) AS customers,
    key,
    "partition",
    "offset",
    arrival,
    own
FROM read
WHERE
    list_has_all([
        'event_id', 'event_type', 'event_time', 'schema_version',
        'customer_id', 'name', 'region'
    ], fields)
    AND len(fields) = len(list_distinct(fields))
    AND types[1] = 'VARCHAR' AND types[2] = 'VARCHAR'
    AND types[3] IN ('UBIGINT', 'BIGINT') AND types[4] IN ('UBIGINT', 'BIGINT')
    AND (NOT has_customer_id OR types[5] = 'VARCHAR')
    AND (NOT has_name OR types[6] = 'VARCHAR')
    AND (NOT has_region OR types[7] = 'VARCHAR')
    AND regexp_full_match(event.event_id, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}')
    AND event.schema_version = 1
    AND event_time BETWEEN arrival - INTERVAL 366 DAYS AND arrival + INTERVAL 5 MINUTES
    AND key = event.customer_id
    AND (
        (event.event_type = 'customer_registered' AND has_customer_id AND has_name AND has_region)
        OR (event.event_type = 'customer_moved' AND has_customer_id AND has_name AND has_region)
        OR (event.event_type = 'customer_left' AND has_customer_id)
    )
    AND (NOT has_customer_id OR regexp_full_match(event.customer_id, 'c-[0-9]{1,12}'))
    AND (NOT has_name OR length(event.name) BETWEEN 1 AND 200)
    AND (NOT has_region OR regexp_full_match(event.region, '[a-z]{2,20}(?:-[a-z]{2,20})?'));
