-- Fails on every state of an order that does not follow the one before, of the orders with an event on a day that may have changed: a
-- change's number is twice there or left out, the state ends before it begins or not when the next one begins, or a column is null.
with touched as (

    select order_id from {{ ref('stg_truth__orders') }} where {{ changed_days() }}
    union
    select order_id from {{ ref('stg_truth__payments') }} where {{ changed_days() }}

),

states as (

    select
        *,
        lag(change_number, 1, 0) over (partition by order_id order by change_number) as number_before,
        lead(valid_from) over (partition by order_id order by change_number) as next_from
    from {{ ref('fct_order_states') }}
    left semi join touched using (order_id)

)

select *
from states
where
    change_number <> number_before + 1
    or not valid_to <=> next_from
    or valid_to < valid_from
    or is_current <> (valid_to is null)
    or valid_from is null
    or status is null
    or paid_cents is null
    or event_id is null
    or day is null
