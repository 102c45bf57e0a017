with past as (

    select * from {{ source('reconciliation', 'past_settlements') }}

)

-- A settlement is copied once when the next replaces it and once when it is withdrawn; a night that was killed may do both.
select
    day,
    revision,
    max(run) as run,
    max(settled_at) as settled_at,
    max(withdrawn_at) as withdrawn_at
from past
group by day, revision
