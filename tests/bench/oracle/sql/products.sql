-- Valid products, duplicates included. Materialised, or DuckDB decodes a record again for every rule.
CREATE TEMP TABLE products AS
WITH parsed AS MATERIALIZED (
    SELECT
        * EXCLUDE (doc),
        json_keys(doc) AS fields,
        json_type(doc, [
            '$.event_id', '$.event_type', '$.event_time', '$.schema_version',
            '$.product_id', '$.title', '$.brand', '$.price_cents'
        ]) AS types,
        json_transform(doc, '{
            "event_id": "VARCHAR", "event_type": "VARCHAR", "event_time": "BIGINT", "schema_version": "INTEGER",
            "product_id": "VARCHAR", "title": "VARCHAR", "brand": "VARCHAR", "price_cents": "BIGINT"
        }') AS event
    FROM records
    WHERE topic = 'products' AND json_type(doc) = 'OBJECT'
),

read AS (
    SELECT
        *,
        CASE WHEN event.event_time BETWEEN 0 AND 253402300799999 THEN epoch_ms(event.event_time) END AS event_time,
        coalesce(types[5], 'NULL') <> 'NULL' AS has_product_id,
        coalesce(types[6], 'NULL') <> 'NULL' AS has_title,
        coalesce(types[7], 'NULL') <> 'NULL' AS has_brand,
        coalesce(types[8], 'NULL') <> 'NULL' AS has_price_cents
    FROM parsed
)

SELECT
    topic,
    event.event_id AS event_id,
    event.event_type AS event_type,
    event_time,
    event.schema_version AS schema_version,
    struct_pack(
        product_id := event.product_id,
        title := event.title,
        brand := event.brand,
        price_cents := event.price_cents
    ) AS products,
    key,
    "partition",
    "offset",
    arrival,
    own
FROM read
WHERE
    list_has_all([
        'event_id', 'event_type', 'event_time', 'schema_version',
        'product_id', 'title', 'brand', 'price_cents'
    ], fields)
    AND len(fields) = len(list_distinct(fields))
    AND types[1] = 'VARCHAR' AND types[2] = 'VARCHAR'
    AND types[3] IN ('UBIGINT', 'BIGINT') AND types[4] IN ('UBIGINT', 'BIGINT')
    AND (NOT has_product_id OR types[5] = 'VARCHAR')
    AND (NOT has_title OR types[6] = 'VARCHAR')
    AND (NOT has_brand OR types[7] = 'VARCHAR')
    AND (NOT has_price_cents OR types[8] IN ('UBIGINT', 'BIGINT'))
    AND regexp_full_match(event.event_id, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}')
    AND event.schema_version = 1
    AND event_time BETWEEN arrival - INTERVAL 366 DAYS AND arrival + INTERVAL 5 MINUTES
    AND key = event.product_id
    AND (
        (event.event_type = 'product_listed' AND has_product_id AND has_title AND has_brand AND has_price_cents)
        OR (event.event_type = 'product_changed' AND has_product_id AND has_title AND has_brand AND has_price_cents)
        OR (event.event_type = 'product_withdrawn' AND has_product_id)
    )
    AND (NOT has_product_id OR regexp_full_match(event.product_id, 'p-[0-9]{1,12}'))
    AND (NOT has_title OR length(event.title) BETWEEN 1 AND 200)
    AND (NOT has_brand OR length(event.brand) BETWEEN 1 AND 100)
    AND (NOT has_price_cents OR event.price_cents BETWEEN 0 AND 100000000);
