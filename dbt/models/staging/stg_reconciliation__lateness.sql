with waits as (

    select * from {{ source('reconciliation', 'lateness') }}

)

select
    day,
    view,
    basis,
    required_delay_seconds,
    events
from waits
