with settlements as (

    select * from {{ source('reconciliation', 'settlements') }}

)

select
    day,
    revision,
    run,
    settled_at,
    horizon
from settlements
