-- Fails on every minute and every order of a settled day that gold and the truth do not have alike.
{% set totals = "day, window_start, window_end, orders, items, revenue_cents" %}
{% set payments = "day, order_id, customer_id, ordered_at, total_cents, payment_status, payment_id, captured_at, paid_cents" %}

with settlements as (

    select * from {{ ref('stg_reconciliation__settlements') }}

),

totals as (

    select {{ totals }}, 1 as side from {{ ref('fct_order_totals') }} where status <> 'provisional'
    union all
    select {{ totals }}, -1 from {{ ref('stg_truth__order_totals') }} left semi join settlements using (day)

),

payments as (

    select {{ payments }}, 1 as side from {{ ref('fct_orders') }} where status <> 'provisional'
    union all
    select {{ payments }}, -1 from {{ ref('stg_truth__order_payments') }} left semi join settlements using (day)

)

select if(sum(side) > 0, 'minute only in gold', 'minute only in truth') as fault, to_json(struct({{ totals }})) as detail
from totals
group by {{ totals }}
having sum(side) <> 0
union all
select if(sum(side) > 0, 'order only in gold', 'order only in truth'), to_json(struct({{ payments }}))
from payments
group by {{ payments }}
having sum(side) <> 0
