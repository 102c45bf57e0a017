{{ config(materialized='view') }}

-- The states of streaming/shop/order_state.py, of the truth's events on settled days. Each is a running sum, count, first or last value
-- over the order's events, so an order of any number of events takes one sort; an `aggregate` over their array would copy the
-- states so far with each event.
-- It is a view, like every history: an event of one day ends a state that began on any day before it, so there are no days that
-- could be replaced alone.
with settlements as (

    select day from {{ ref('stg_reconciliation__settlements') }}

),

truth_orders as (

    select * from {{ ref('stg_truth__orders') }}

),

truth_payments as (

    select * from {{ ref('stg_truth__payments') }}

),

told as (

    select
        order_id, customer_id, size(items) as lines, total_cents, reason, 0L as amount_cents,
        event_id, event_type, event_time, arrived_at, 'orders' as topic, `offset`, day
    from truth_orders
    union all
    select
        order_id, null, null, null, null, amount_cents,
        event_id, event_type, event_time, arrived_at, 'payments', `offset`, day
    from truth_payments

),

placed as (

    select
        told.*,
        count_if(event_type = 'order_placed') over so_far as times_placed,
        count_if(event_type = 'order_cancelled') over so_far as cancellations
    from told
    left semi join settlements on told.day = settlements.day
    window so_far as (
        partition by order_id order by event_time, arrived_at, topic, `offset` rows between unbounded preceding and current row
    )

),

-- An order that is placed again stays as it was placed first.
summed as (

    select
        * except (customer_id, lines, total_cents, reason),
        last_value(
            if((event_type = 'order_placed' and times_placed = 1) or event_type = 'order_cancelled', customer_id, null)
        ) ignore nulls over so_far as customer_id,
        first_value(if(event_type = 'order_placed', lines, null)) ignore nulls over so_far as lines,
        first_value(if(event_type = 'order_placed', total_cents, null)) ignore nulls over so_far as total_cents,
        last_value(if(event_type = 'order_cancelled', reason, null)) ignore nulls over so_far as reason,
        sum(if(event_type = 'items_added' and times_placed > 0, lines, 0)) over so_far as lines_added,
        sum(if(event_type = 'items_added' and times_placed > 0, total_cents, 0)) over so_far as cents_added,
        count_if(event_type = 'order_shipped' and times_placed > 0 and cancellations = 0) over so_far as shipments,
        sum(
            case event_type when 'payment_captured' then amount_cents when 'payment_refunded' then -amount_cents else 0 end
        ) over so_far as paid_cents,
        count_if(event_type = 'payment_failed') over so_far as failed_payments,
        count_if(event_type = 'payment_refunded' and times_placed > 0) over so_far as refunds
    from placed
    window so_far as (
        partition by order_id order by event_time, arrived_at, topic, `offset` rows between unbounded preceding and current row
    )

),

-- Only a refund can take what was paid back to nothing, so a placed order with a refund and nothing paid is a refunded one.
folded as (

    select
        *,
        struct(
            case
                when cancellations > 0 then 'cancelled'
                when times_placed = 0 then 'unknown'
                when paid_cents <= 0 and refunds > 0 then 'refunded'
                when shipments > 0 then 'shipped'
                when paid_cents > 0 then 'paid'
                else 'placed'
            end as status,
            customer_id,
            cast(lines + lines_added as int) as lines,
            total_cents + cents_added as total_cents,
            paid_cents,
            failed_payments,
            reason,
            shipments > 0 as is_shipped
        ) as state
    from summed

),

compared as (

    select
        *,
        lag(state) over (partition by order_id order by event_time, arrived_at, topic, `offset`) as state_before
    from folded

),

numbered as (

    select
        *,
        row_number() over (partition by order_id order by event_time, arrived_at, topic, `offset`) as change_number,
        lead(event_time) over (partition by order_id order by event_time, arrived_at, topic, `offset`) as valid_to
    from compared
    -- What comes first may change nothing either: items that are added to an order that is not known.
    where
        if(
            state_before is null,
            state.status <> 'unknown' or state.paid_cents <> 0 or state.failed_payments <> 0,
            not state <=> state_before
        )

)

select
    order_id,
    change_number,
    event_time as valid_from,
    valid_to,
    valid_to is null as is_current,
    state.status,
    state.customer_id,
    state.lines,
    state.total_cents,
    state.paid_cents,
    state.failed_payments,
    state.reason,
    state.is_shipped,
    event_id,
    event_type,
    day
from numbered
