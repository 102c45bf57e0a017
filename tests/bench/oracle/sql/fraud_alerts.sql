-- Every captured payment over 100.00, with the captured one before it on its card, and what failed between them.
CREATE TEMP TABLE fraud_alerts AS
WITH captured AS (
    SELECT
        event_id,
        payments,
        event_time,
        day,
        lag(struct_pack(payments := payments, event_time := event_time, event_id := event_id))
            OVER (PARTITION BY payments.card_id ORDER BY event_time, event_id) AS before
    FROM events
    WHERE event_type = 'payment_captured'
),

alerts AS (
    SELECT captured.*
    FROM captured
    INNER JOIN events AS failed
        ON
            failed.event_type = 'payment_failed'
            AND failed.payments.card_id = captured.payments.card_id
            AND (failed.event_time, failed.event_id) > (captured.before.event_time, captured.before.event_id)
            AND (failed.event_time, failed.event_id) < (captured.event_time, captured.event_id)
    WHERE
        captured.payments.amount_cents > 10000
        AND captured.before.payments.amount_cents < 500
        AND captured.before.event_time >= captured.event_time - INTERVAL 10 MINUTES
    GROUP BY ALL
    HAVING count(*) >= 2
)

SELECT
    event_id,
    payments.card_id AS card_id,
    payments.payment_id AS payment_id,
    payments.amount_cents AS amount_cents,
    event_time AS alerted_at,
    before.payments.payment_id AS first_payment_id,
    before.event_time AS began_at,
    1::BIGINT AS alerts,
    day
FROM alerts;
