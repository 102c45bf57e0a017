with coverage as (

    select * from {{ source('reconciliation', 'coverage') }}

),

state as (

    select * from {{ source('reconciliation', 'state') }}

)

select
    coverage.day,
    coverage.revision,
    coverage.run,
    coverage.settled_at,
    coalesce(state.truth <> coverage.run, false) as is_being_redone
from coverage
left join state on coverage.day = state.day
