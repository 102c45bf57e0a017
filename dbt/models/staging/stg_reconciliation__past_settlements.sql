with past as (

    select * from {{ source('reconciliation', 'past_settlements') }}

)

-- A settlement is copied when the next one replaces it, and when it is withdrawn. If a night was killed, both copies may exist.
select
    day,
    revision,
    max(run) as run,
    max(settled_at) as settled_at,
    max(horizon) as horizon,
    max(withdrawn_at) as withdrawn_at
from past
group by day, revision
