-- Fails on every delay with which fewer events are on time, or fewer rows are held open, than with a shorter one; and if the
-- night (delay null) is not complete.
with curve as (

    select * from {{ ref('rpt_completeness') }}

),

ordered as (

    select
        *,
        lag(events_in_time) over (
            partition by view, measure order by delay_seconds asc nulls last
        ) as events_before,
        lag(state_rows) over (
            partition by view, measure order by delay_seconds asc nulls last
        ) as state_before
    from curve

)

select *
from ordered
where
    events_in_time < events_before
    or state_rows < state_before
    or (delay_seconds is null and (events_in_time <> events or value_share <> 1 or rows_share <> 1))
