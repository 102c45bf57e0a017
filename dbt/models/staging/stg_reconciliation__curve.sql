with curve as (

    select * from {{ source('reconciliation', 'curve') }}

)

select
    day,
    view,
    measure,
    delay_seconds,
    in_force,
    events,
    events_in_time,
    value,
    value_in_time,
    rows,
    rows_final,
    state_rows
from curve
