with waits as (

    select * from {{ source('reconciliation', 'waits') }}

)

select
    day,
    view,
    basis,
    wait_seconds,
    events
from waits
