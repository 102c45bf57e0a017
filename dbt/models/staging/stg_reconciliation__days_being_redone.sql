-- A column of stg_reconciliation__settlements would cost every query of it a join.
with settlements as (

    select * from {{ source('reconciliation', 'settlements') }}

),

state as (

    select * from {{ source('reconciliation', 'state') }}

)

select
    settlements.day,
    state.truth as run
from settlements
inner join state on settlements.day = state.day
where state.truth <> settlements.run
