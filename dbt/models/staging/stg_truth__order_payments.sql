with truth as (

    select * from {{ source('truth', 'order_payments') }}

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
    day
from truth
