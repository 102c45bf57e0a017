with latest as (

    {{ latest_answers('order_payments', ['order_id']) }}

)

select
    order_id,
    customer_id,
    ordered_at,
    total_cents,
    {{ payment_status('status') }} as payment_status,
    payment_id,
    captured_at,
    amount_cents as paid_cents,
    is_final,
    as_of,
    day
from latest
