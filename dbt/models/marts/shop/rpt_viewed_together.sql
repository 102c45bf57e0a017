{{ config(materialized='view') }}

with pairs as (

    select day, product_id, partner_id, sessions, status from {{ ref('fct_viewed_together') }}
    union all
    select day, partner_id, product_id, sessions, status from {{ ref('fct_viewed_together') }}

),

counted as (

    select
        day,
        product_id,
        partner_id,
        sum(sessions) as sessions,
        bool_and(status <> 'provisional') as is_settled
    from pairs
    group by day, product_id, partner_id

)

select
    day,
    product_id,
    partner_id,
    sessions,
    row_number() over (partition by day, product_id order by sessions desc, partner_id) as place,
    is_settled
from counted
qualify place <= 10
