-- Fails on every minute and every order of a settled day that gold and the truth do not have alike.
{% set totals = "day, window_start, window_end, orders, items, revenue_cents" %}
{% set payments = "day, order_id, customer_id, ordered_at, total_cents, payment_status, payment_id, captured_at, paid_cents" %}

with coverage as (

    select * from {{ ref('stg_reconciliation__coverage') }}

),

gold_totals as (

    select {{ totals }} from {{ ref('fct_order_totals') }} where status <> 'provisional'

),

true_totals as (

    select {{ totals }} from {{ ref('stg_truth__order_totals') }} left semi join coverage using (day)

),

gold_payments as (

    select {{ payments }} from {{ ref('fct_orders') }} where status <> 'provisional'

),

true_payments as (

    select {{ payments }} from {{ ref('stg_truth__order_payments') }} left semi join coverage using (day)

)

select 'minute only in gold' as fault, to_json(struct(*)) as detail from (table gold_totals except all table true_totals)
union all
select 'minute only in truth', to_json(struct(*)) from (table true_totals except all table gold_totals)
union all
select 'order only in gold', to_json(struct(*)) from (table gold_payments except all table true_payments)
union all
select 'order only in truth', to_json(struct(*)) from (table true_payments except all table gold_payments)
