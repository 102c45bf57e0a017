{{ config(materialized='view') }}

with open_at as (

    select
        region,
        total_cents,
        status,
        explode(
            sequence(
                timestamp_seconds((unix_micros(open_from) + 299999999) div 300000000 * 300),
                open_to - interval 1 microsecond,
                interval 5 minutes
            )
        ) as moment
    from {{ ref('fct_open_orders_by_region') }}
    where timestamp_seconds((unix_micros(open_from) + 299999999) div 300000000 * 300) < open_to

)

select
    coalesce(region, 'guest') as region,
    moment,
    count(*) as open_orders,
    sum(total_cents) as value_cents,
    bool_and(status <> 'provisional') as is_settled
from open_at
group by coalesce(region, 'guest'), moment
