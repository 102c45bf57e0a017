-- Fails on every day that is served from both layers, or from the wrong one.
with settlements as (

    select day from {{ ref('stg_reconciliation__settlements') }}

),

served as (

    select distinct 'fct_order_totals' as fact, day, status = 'provisional' as is_provisional
    from {{ ref('fct_order_totals') }}
    union all
    select distinct 'fct_orders', day, status = 'provisional'
    from {{ ref('fct_orders') }}

)

select served.fact, served.day, 'from both layers' as fault
from served
group by served.fact, served.day
having count(*) > 1
union all
select served.fact, served.day, 'from the wrong layer'
from served
left join settlements on served.day = settlements.day
where served.is_provisional = (settlements.day is not null)
