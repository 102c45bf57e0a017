with windows as (

    select * from {{ ref('fct_order_totals') }}

)

select
    day,
    sum(orders) as orders,
    sum(items) as items,
    sum(revenue_cents) as revenue_cents,
    count(*) as windows,
    count_if(status = 'corrected') as corrected_windows,
    case
        when any(status = 'provisional') then 'provisional'
        when any(status = 'corrected') then 'corrected'
        else 'settled'
    end as status,
    max(as_of) as as_of
from windows
group by day
