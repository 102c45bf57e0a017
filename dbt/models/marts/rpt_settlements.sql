{{ config(materialized='view') }}

with settlements as (

    select * from {{ ref('stg_reconciliation__settlements') }}

),

past as (

    select * from {{ ref('stg_reconciliation__past_settlements') }}

)

select
    day,
    revision,
    run,
    settled_at,
    cast(null as timestamp) as withdrawn_at
from settlements
union all
-- A night copies a settlement to past_settlements before it removes it from settlements, so for a moment both have it.
select
    past.day,
    past.revision,
    past.run,
    past.settled_at,
    past.withdrawn_at
from past
left anti join settlements on past.day = settlements.day and past.revision = settlements.revision
