{{ config(materialized='view') }}

-- Of an order that is still open nobody knows how long it will be: it counts as far as the stream has read.
with seen as (

    select
        orders.*,
        least(orders.open_to, coalesce(clock.frontier, orders.open_to)) as seen_to
    from {{ ref('fct_open_orders_by_region') }} as orders
    cross join {{ ref('stg_speed__frontier') }} as clock

),

open_at as (

    select
        region,
        total_cents,
        status,
        explode(
            sequence(
                timestamp_seconds((unix_micros(open_from) + 299999999) div 300000000 * 300),
                seen_to - interval 1 microsecond,
                interval 5 minutes
            )
        ) as moment
    from seen
    where timestamp_seconds((unix_micros(open_from) + 299999999) div 300000000 * 300) < seen_to

)

select
    coalesce(region, 'guest') as region,
    moment,
    count(*) as open_orders,
    sum(total_cents) as value_cents,
    bool_and(status <> 'provisional') as is_settled
from open_at
group by coalesce(region, 'guest'), moment
