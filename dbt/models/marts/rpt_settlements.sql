{{ config(materialized='view') }}

with settlements as (

    select * from {{ ref('stg_reconciliation__settlements') }}

),

past as (

    select * from {{ ref('stg_reconciliation__past_settlements') }}

),

known as (

    select day, revision, run, settled_at, horizon, cast(null as timestamp) as withdrawn_at, true as is_in_force from settlements
    union all
    select day, revision, run, settled_at, horizon, withdrawn_at, false from past

)

-- A night copies a settlement to past_settlements before it removes it from settlements, so for a moment both have it.
select
    day,
    revision,
    max(run) as run,
    max(settled_at) as settled_at,
    max(horizon) as horizon,
    if(any(is_in_force), null, max(withdrawn_at)) as withdrawn_at
from known
group by day, revision
