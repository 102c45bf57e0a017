{{ by_day() }}
{%- set days = changed_days() if is_incremental() else "true" -%}
with settlements as (

    select * from {{ ref('stg_reconciliation__settlements') }}

),

payments as (

    select * from {{ ref('fct_order_payments') }} where {{ days }}

),

truth_orders as (

    select * from {{ ref('stg_truth__orders') }} where event_type = 'order_placed' and {{ days }}

),

silver_orders as (

    select * from {{ ref('stg_silver__orders') }} where event_type = 'order_placed' and {{ days }}

),

-- Whether a day is settled is read from the fact: a night may have settled or withdrawn a day since the fact was built.
served_days as (

    select
        day,
        any(status <> 'provisional') as is_settled
    from payments
    group by day

),

settled as (

    select
        payments.*,
        {{ lines_of('events.items') }},
        events.arrived_at
    from payments
    left join truth_orders as events
        on
            payments.order_id = events.order_id
            and payments.ordered_at = events.event_time
            and payments.customer_id = events.customer_id
            and payments.total_cents = events.total_cents
    where payments.status <> 'provisional'

),

-- These include the late orders that the stream's view leaves out.
provisional as (

    select
        events.order_id,
        events.customer_id,
        events.event_time as ordered_at,
        events.day,
        {{ lines_of('events.items') }},
        events.total_cents,
        payments.payment_status,
        payments.payment_id,
        payments.captured_at,
        payments.amount_cents,
        coalesce(payments.is_final, false) as is_final,
        coalesce(payments.as_of, events.arrived_at) as as_of,
        events.arrived_at
    from silver_orders as events
    left join served_days on events.day = served_days.day
    left join settlements on events.day = settlements.day
    left join payments
        on
            payments.status = 'provisional'
            and events.order_id = payments.order_id
            and events.event_time = payments.ordered_at
            and events.customer_id = payments.customer_id
            and events.total_cents = payments.total_cents
    where not coalesce(served_days.is_settled, settlements.day is not null)

),

placed as (

    select
        order_id, customer_id, ordered_at, day, lines, items, total_cents, payment_status, payment_id, captured_at,
        amount_cents, is_final, status, as_of, revisions, arrived_at
    from settled
    union all
    select
        order_id, customer_id, ordered_at, day, lines, items, total_cents, payment_status, payment_id, captured_at,
        amount_cents, is_final, 'provisional', as_of, 0, arrived_at
    from provisional

),

-- If an order id is placed twice on a day, one order is kept: first the one that the view order_payments has, because the view
-- leaves out late orders; then by the view's preference.
ranked as (

    select
        *,
        row_number() over (
            partition by day, order_id
            order by payment_status is null, {{ preferred('order_payments') }}arrived_at
        ) as place
    from placed

),

served as (

    select * except (place) from ranked where place = 1

),

measured as (

    {{ with_expected_completeness('served', 'order_payments', closes=views().order_payments.closes) }}

)

select
    order_id,
    customer_id,
    ordered_at,
    day,
    lines,
    items,
    total_cents,
    coalesce(payment_status, 'pending') as payment_status,
    payment_id,
    captured_at,
    amount_cents as paid_cents,
    is_final,
    status,
    as_of,
    expected_completeness,
    revisions
from measured
