-- Valid clicks, duplicates included. Materialised, or DuckDB decodes a record again for every rule.
CREATE TEMP TABLE clicks AS
WITH parsed AS MATERIALIZED (
    SELECT
        * EXCLUDE (doc),
        json_keys(doc) AS fields,
        json_type(doc, [
            '$.event_id', '$.event_type', '$.event_time', '$.schema_version',
            '$.session_id', '$.customer_id', '$.product_id', '$.position'
        ]) AS types,
        json_transform(doc, '{
            "event_id": "VARCHAR", "event_type": "VARCHAR", "event_time": "BIGINT", "schema_version": "INTEGER",
            "session_id": "VARCHAR", "customer_id": "VARCHAR", "product_id": "VARCHAR", "position": "BIGINT"
        }') AS event
    FROM records
    WHERE topic = 'clicks' AND json_type(doc) = 'OBJECT'
),

read AS (
    SELECT
        *,
        CASE WHEN event.event_time BETWEEN 0 AND 253402300799999 THEN epoch_ms(event.event_time) END AS event_time,
        coalesce(types[5], 'NULL') <> 'NULL' AS has_session_id,
        coalesce(types[6], 'NULL') <> 'NULL' AS has_customer_id,
        coalesce(types[7], 'NULL') <> 'NULL' AS has_product_id,
        coalesce(types[8], 'NULL') <> 'NULL' AS has_position
    FROM parsed
)

SELECT
    topic,
    event.event_id AS event_id,
    event.event_type AS event_type,
    event_time,
    event.schema_version AS schema_version,
    struct_pack(
        session_id := event.session_id,
        customer_id := event.customer_id,
        product_id := event.product_id,
        position := event.position
    ) AS clicks,
    key,
    "partition",
    "offset",
    arrival,
    own
FROM read
WHERE
    list_has_all([
        'event_id', 'event_type', 'event_time', 'schema_version',
        'session_id', 'customer_id', 'product_id', 'position'
    ], fields)
    AND len(fields) = len(list_distinct(fields))
    AND types[1] = 'VARCHAR' AND types[2] = 'VARCHAR'
    AND types[3] IN ('UBIGINT', 'BIGINT') AND types[4] IN ('UBIGINT', 'BIGINT')
    AND (NOT has_session_id OR types[5] = 'VARCHAR')
    AND (NOT has_customer_id OR types[6] = 'VARCHAR')
    AND (NOT has_product_id OR types[7] = 'VARCHAR')
    AND (NOT has_position OR types[8] IN ('UBIGINT', 'BIGINT'))
    AND regexp_full_match(event.event_id, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}')
    AND event.schema_version = 1
    AND event_time BETWEEN arrival - INTERVAL 366 DAYS AND arrival + INTERVAL 5 MINUTES
    AND key = event.session_id
    AND (
        (event.event_type = 'product_clicked' AND has_session_id AND has_customer_id AND has_product_id AND has_position)
    )
    AND (NOT has_session_id OR regexp_full_match(event.session_id, 'v-[0-9a-f]{8,32}'))
    AND (NOT has_customer_id OR regexp_full_match(event.customer_id, 'c-[0-9]{1,12}'))
    AND (NOT has_product_id OR regexp_full_match(event.product_id, 'p-[0-9]{1,12}'))
    AND (NOT has_position OR event.position BETWEEN 1 AND 100);
