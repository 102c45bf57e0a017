-- Valid orders, duplicates included. Materialised, or DuckDB decodes a record again for every rule.
CREATE TEMP TABLE orders AS
WITH parsed AS MATERIALIZED (
    SELECT
        * EXCLUDE (doc),
        json_keys(doc) AS fields,
        json_type(doc, [
            '$.event_id', '$.event_type', '$.event_time', '$.schema_version',
            '$.order_id', '$.customer_id', '$.items', '$.total_cents', '$.reason',
            '$.channel', '$.currency'
        ]) AS types,
        json_extract(doc, '$.items[*]') AS lines,
        json_transform(doc, '{
            "event_id": "VARCHAR", "event_type": "VARCHAR", "event_time": "BIGINT", "schema_version": "INTEGER",
            "order_id": "VARCHAR", "customer_id": "VARCHAR", "total_cents": "BIGINT", "reason": "VARCHAR",
            "channel": "VARCHAR", "currency": "VARCHAR",
            "items": [{"product_id": "VARCHAR", "quantity": "BIGINT", "unit_price_cents": "BIGINT"}]
        }') AS event
    FROM records
    WHERE topic = 'orders' AND json_type(doc) = 'OBJECT'
),

read AS (
    SELECT
        *,
        CASE WHEN event.event_time BETWEEN 0 AND 253402300799999 THEN epoch_ms(event.event_time) END AS event_time,
        coalesce(types[7], 'NULL') <> 'NULL' AS has_items,
        coalesce(types[8], 'NULL') <> 'NULL' AS has_total,
        coalesce(types[9], 'NULL') <> 'NULL' AS has_reason
    FROM parsed
)

SELECT
    topic,
    event.event_id AS event_id,
    event.event_type AS event_type,
    event_time,
    event.schema_version AS schema_version,
    struct_pack(
        order_id := event.order_id,
        customer_id := event.customer_id,
        items := event.items,
        total_cents := event.total_cents,
        reason := event.reason,
        channel := event.channel,
        currency := event.currency
    ) AS orders,
    key,
    "partition",
    "offset",
    arrival,
    own
FROM read
WHERE
    list_has_all([
        'event_id', 'event_type', 'event_time', 'schema_version',
        'order_id', 'customer_id', 'items', 'total_cents', 'reason',
        'channel', 'currency'
    ], fields)
    AND len(fields) = len(list_distinct(fields))
    AND types[1] = 'VARCHAR' AND types[2] = 'VARCHAR' AND types[5] = 'VARCHAR' AND types[6] = 'VARCHAR'
    AND types[3] IN ('UBIGINT', 'BIGINT') AND types[4] IN ('UBIGINT', 'BIGINT')
    AND (NOT has_items OR types[7] = 'ARRAY')
    AND (NOT has_total OR types[8] IN ('UBIGINT', 'BIGINT'))
    AND (NOT has_reason OR types[9] = 'VARCHAR')
    AND regexp_full_match(event.event_id, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}')
    AND (
        event.schema_version = 2
        OR (event.schema_version = 1 AND NOT list_has_any(['channel', 'currency'], fields))
    )
    AND (coalesce(types[10], 'NULL') = 'NULL' OR (
        types[10] = 'VARCHAR' AND regexp_full_match(event.channel, '[a-z][a-z_]{0,19}')
    ))
    AND (coalesce(types[11], 'NULL') = 'NULL' OR event.currency = 'EUR')
    AND event_time BETWEEN arrival - INTERVAL 366 DAYS AND arrival + INTERVAL 5 MINUTES
    AND key = event.order_id
    AND regexp_full_match(event.order_id, 'o-[0-9a-f]{8,32}')
    AND regexp_full_match(event.customer_id, 'c-[0-9]{1,12}')
    AND (
        (event.event_type IN ('order_placed', 'items_added') AND has_items AND has_total)
        OR event.event_type = 'order_shipped'
        OR (event.event_type = 'order_cancelled' AND has_reason)
    )
    AND (NOT has_total OR event.total_cents BETWEEN 0 AND 10000000000000)
    AND (NOT has_items OR (
        len(lines) BETWEEN 1 AND 100
        AND list_bool_and(list_transform(lines, lambda line:
            json_type(line) = 'OBJECT'
            AND len(json_keys(line)) = 3
            AND list_has_all(json_keys(line), ['product_id', 'quantity', 'unit_price_cents'])
            AND json_type(line, '$.product_id') = 'VARCHAR'
            AND json_type(line, '$.quantity') IN ('UBIGINT', 'BIGINT')
            AND json_type(line, '$.unit_price_cents') IN ('UBIGINT', 'BIGINT')
        ))
        AND list_bool_and(list_transform(event.items, lambda item: coalesce(
            regexp_full_match(item.product_id, 'p-[0-9]{1,12}')
            AND item.quantity BETWEEN 1 AND 1000
            AND item.unit_price_cents BETWEEN 0 AND 100000000,
            false
        )))
        AND (NOT has_total OR event.total_cents = list_sum(list_transform(
            event.items, lambda item: item.quantity::HUGEINT * item.unit_price_cents
        )))
    ));
