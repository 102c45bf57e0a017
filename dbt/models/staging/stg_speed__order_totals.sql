with latest as (

    {{ latest_answers('order_totals', ['window_start']) }}

)

select
    window_start,
    window_end,
    orders,
    items,
    revenue_cents,
    is_final,
    as_of,
    day
from latest
