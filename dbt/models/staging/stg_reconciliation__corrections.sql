with corrections as (

    select * from {{ source('reconciliation', 'corrections') }}

)

select
    day,
    view,
    key,
    old,
    new,
    cause,
    run,
    revision,
    corrected_at,
    sequence
from corrections
