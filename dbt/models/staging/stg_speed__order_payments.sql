with latest as (

    {{ latest_answers('order_payments', ['order_id'], ['captured_at asc nulls last', 'payment_id asc nulls last', 'ordered_at']) }}

)

select
    order_id,
    customer_id,
    ordered_at,
    total_cents,
    status as payment_status,
    payment_id,
    captured_at,
    amount_cents as paid_cents,
    as_of,
    day
from latest
