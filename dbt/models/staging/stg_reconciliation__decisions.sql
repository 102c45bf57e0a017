with decisions as (

    select * from {{ source('reconciliation', 'decisions') }}

)

select
    day,
    max_by(decision, number) as decision,
    max_by(decided_by, number) as decided_by,
    max_by(note, number) as note
from decisions
group by day
