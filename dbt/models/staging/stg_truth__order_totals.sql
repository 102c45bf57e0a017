with truth as (

    select * from {{ source('truth', 'order_totals') }}

)

select
    window_start,
    window_end,
    orders,
    items,
    revenue_cents,
    day
from truth
