with settlements as (

    select * from {{ source('reconciliation', 'settlements') }}

),

state as (

    select * from {{ source('reconciliation', 'state') }}

)

select
    settlements.day,
    settlements.revision,
    settlements.run,
    settlements.settled_at,
    coalesce(state.truth <> settlements.run, false) as is_being_redone
from settlements
left join state on settlements.day = state.day
