with events as (

    select * from {{ source('truth', 'events') }}

)

select
    event_id,
    payments.payment_id as payment_id,
    payments.order_id as order_id,
    payments.card_id as card_id,
    event_type as outcome,
    payments.amount_cents as amount_cents,
    event_time as paid_at,
    arrival as arrived_at,
    day
from events
where topic = 'payments'
