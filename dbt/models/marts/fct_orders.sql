with settlements as (

    select * from {{ ref('stg_reconciliation__settlements') }}

),

truth_orders as (

    select * from {{ ref('stg_truth__orders') }}

),

truth_payments as (

    select * from {{ ref('stg_truth__order_payments') }}

),

silver_orders as (

    select * from {{ ref('stg_silver__orders') }}

),

speed_payments as (

    select * from {{ ref('stg_speed__order_payments') }}

),

corrected as (

    {{ corrections_made('order_payments', ['order_id']) }}

),

settled as (

    select
        payments.order_id,
        payments.customer_id,
        payments.ordered_at,
        payments.day,
        orders.lines,
        orders.items,
        payments.total_cents,
        payments.payment_status,
        payments.payment_id,
        payments.captured_at,
        payments.paid_cents,
        true as is_final,
        if(corrected.revisions is null, 'settled', 'corrected') as status,
        settlements.settled_at as as_of,
        coalesce(corrected.revisions, 0) as revisions,
        orders.arrived_at
    from truth_payments as payments
    inner join settlements on payments.day = settlements.day
    left join truth_orders as orders
        on
            payments.order_id = orders.order_id
            and payments.ordered_at = orders.ordered_at
            and payments.customer_id = orders.customer_id
            and payments.total_cents = orders.total_cents
    left join corrected on payments.day = corrected.day and payments.order_id = corrected.order_id

),

provisional as (

    select
        orders.order_id,
        orders.customer_id,
        orders.ordered_at,
        orders.day,
        orders.lines,
        orders.items,
        orders.total_cents,
        payments.payment_status,
        payments.payment_id,
        payments.captured_at,
        payments.paid_cents,
        coalesce(payments.is_final, false) as is_final,
        'provisional' as status,
        coalesce(payments.as_of, orders.arrived_at) as as_of,
        0 as revisions,
        orders.arrived_at
    from silver_orders as orders
    left anti join settlements on orders.day = settlements.day
    left join speed_payments as payments
        on
            orders.order_id = payments.order_id
            and orders.ordered_at = payments.ordered_at
            and orders.customer_id = payments.customer_id
            and orders.total_cents = payments.total_cents

),

placed as (

    select * from settled
    union all
    select * from provisional

),

-- An order number that is placed twice on a day is one order, the one that the view order_payments tells of: before all
-- preference, because the view may have left the other one out, as late.
ranked as (

    select
        *,
        row_number() over (
            partition by day, order_id
            order by payment_status is null, {{ preferred('order_payments', renamed={'amount_cents': 'paid_cents'}) }}arrived_at
        ) as place
    from placed

),

served as (

    select * except (place) from ranked where place = 1

),

measured as (

    {{ with_expected_completeness('served', 'order_payments', closes='(served.ordered_at + interval 1 hour)') }}

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
    paid_cents,
    is_final,
    status,
    as_of,
    expected_completeness,
    revisions
from measured
