with windows as (

    select * from {{ ref('fct_order_totals') }}

),

daily as (

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

),

missing as (

    {{ records_missing('daily') }}

)

select
    daily.day,
    daily.orders,
    daily.items,
    daily.revenue_cents,
    daily.windows,
    daily.corrected_windows,
    coalesce(missing.records_missing, 0) as records_missing,
    daily.status,
    daily.as_of
from daily
left join missing on daily.day = missing.day
