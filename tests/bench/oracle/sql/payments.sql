-- Valid payments, duplicates included. Materialised, or DuckDB decodes a record again for every rule.
CREATE TEMP TABLE payments AS
WITH parsed AS MATERIALIZED (
    SELECT
        * EXCLUDE (doc),
        json_keys(doc) AS fields,
        json_type(doc, [
            '$.event_id', '$.event_type', '$.event_time', '$.schema_version',
            '$.payment_id', '$.order_id', '$.card_id', '$.amount_cents'
        ]) AS types,
        json_transform(doc, '{
            "event_id": "VARCHAR", "event_type": "VARCHAR", "event_time": "BIGINT", "schema_version": "INTEGER",
            "payment_id": "VARCHAR", "order_id": "VARCHAR", "card_id": "VARCHAR", "amount_cents": "BIGINT"
        }') AS event
    FROM records
    WHERE topic = 'payments' AND json_type(doc) = 'OBJECT'
),

read AS (
    SELECT
        *,
        CASE WHEN event.event_time BETWEEN 0 AND 253402300799999 THEN epoch_ms(event.event_time) END AS event_time
    FROM parsed
)

SELECT
    topic,
    event.event_id AS event_id,
    event.event_type AS event_type,
    event_time,
    event.schema_version AS schema_version,
    struct_pack(
        payment_id := event.payment_id,
        order_id := event.order_id,
        card_id := event.card_id,
        amount_cents := event.amount_cents
    ) AS payments,
    key,
    "partition",
    "offset",
    arrival,
    own
FROM read
WHERE
    list_has_all([
        'event_id', 'event_type', 'event_time', 'schema_version', 'payment_id', 'order_id', 'card_id', 'amount_cents'
    ], fields)
    AND len(fields) = len(list_distinct(fields))
    AND types[1] = 'VARCHAR' AND types[2] = 'VARCHAR'
    AND types[5] = 'VARCHAR' AND types[6] = 'VARCHAR' AND types[7] = 'VARCHAR'
    AND types[3] IN ('UBIGINT', 'BIGINT') AND types[4] IN ('UBIGINT', 'BIGINT') AND types[8] IN ('UBIGINT', 'BIGINT')
    AND regexp_full_match(event.event_id, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}')
    AND event.schema_version = 1
    AND event_time BETWEEN arrival - INTERVAL 366 DAYS AND arrival + INTERVAL 5 MINUTES
    AND key = event.order_id
    AND event.event_type IN ('payment_captured', 'payment_failed', 'payment_refunded')
    AND regexp_full_match(event.payment_id, 'pay-[0-9a-f]{8,32}')
    AND regexp_full_match(event.order_id, 'o-[0-9a-f]{8,32}')
    AND regexp_full_match(event.card_id, 'card-[0-9]{1,12}')
    AND event.amount_cents BETWEEN 1 AND 10000000000;
