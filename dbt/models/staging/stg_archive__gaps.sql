with gaps as (

    select * from {{ source('archive', 'gaps') }}

)

select
    topic,
    `partition`,
    `from` as from_offset,
    `to` as to_offset,
    `to` - `from` as offsets,
    cause,
    note,
    accepted_at,
    -- If no record arrived before the gap, it may concern any earlier day.
    coalesce(from_day, date'0001-01-01') as from_day,
    to_day
from gaps
