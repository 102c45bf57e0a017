with coverage as (

    select * from {{ source('reconciliation', 'coverage') }}

)

select
    day,
    revision,
    run,
    settled_at
from coverage
