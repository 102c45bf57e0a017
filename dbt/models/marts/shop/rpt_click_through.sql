{{ config(materialized='view') }}

select
    term,
    date_trunc('HOUR', searched_at) as hour,
    sum(searches) as searches,
    sum(clicked) as clicked,
    {{ share('sum(clicked)', 'sum(searches)') }} as click_through_rate,
    bool_and(status <> 'provisional') as is_settled
from {{ ref('fct_click_through') }}
group by term, date_trunc('HOUR', searched_at)
