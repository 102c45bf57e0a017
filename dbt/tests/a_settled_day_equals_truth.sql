-- Fails on every row of a settled day in which gold and the truth differ; tests the days that may have changed since the last build.
{% for view in views() %}
{% set columns = "day, " ~ views()[view].columns | join(", ") %}
select '{{ view }}' as view, if(sum(side) > 0, 'only in gold', 'only in truth') as fault, to_json(struct({{ columns }})) as detail
from (
    select {{ columns }}, 1 as side from {{ ref('fct_' ~ view) }} where status <> 'provisional' and {{ changed_days() }}
    union all
    select {{ columns }}, -1
    from {{ ref('stg_truth__' ~ view) }}
    left semi join {{ ref('stg_reconciliation__settlements') }} using (day)
    where {{ changed_days() }}
)
group by {{ columns }}
having sum(side) <> 0
union all
{% endfor %}
-- On settled days fct_orders must agree with fct_order_payments.
{% set columns = "day, order_id, customer_id, ordered_at, total_cents, payment_status, payment_id, captured_at" %}
select 'fct_orders', if(sum(side) > 0, 'only in fct_orders', 'only in fct_order_payments'), to_json(struct({{ columns }}, paid))
from (
    select {{ columns }}, paid_cents as paid, 1 as side from {{ ref('fct_orders') }} where status <> 'provisional' and {{ changed_days() }}
    union all
    select {{ columns }}, amount_cents, -1 from {{ ref('fct_order_payments') }} where status <> 'provisional' and {{ changed_days() }}
)
group by {{ columns }}, paid
having sum(side) <> 0
