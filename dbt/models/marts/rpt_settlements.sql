{{ config(materialized='view') }}

with coverage as (

    select * from {{ ref('stg_reconciliation__coverage') }}

),

past as (

    select * from {{ ref('stg_reconciliation__past_coverage') }}

)

select
    day,
    revision,
    run,
    settled_at,
    cast(null as timestamp) as withdrawn_at
from coverage
union all
-- A night copies a settlement there before it takes it out of coverage.
select
    past.day,
    past.revision,
    past.run,
    past.settled_at,
    past.withdrawn_at
from past
left anti join coverage on past.day = coverage.day and past.revision = coverage.revision
