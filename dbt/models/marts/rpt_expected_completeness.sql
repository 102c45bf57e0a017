{% set delay = env_var('DAYBREAK_WATERMARK_DELAY_SECONDS') %}

with waits as (

    select * from {{ ref('stg_reconciliation__lateness') }} where basis = 'log'

),

measured as (

    select
        view,
        count(distinct day) as days,
        sum(events) as events
    from waits
    group by view

),

in_time as (

    select
        view,
        required_delay_seconds,
        sum(events) as events
    from waits
    where required_delay_seconds <= {{ delay }}
    group by view, required_delay_seconds

),

ages as (

    select
        view,
        days,
        events,
        explode(sequence(-1L, {{ delay }}L)) as age_seconds
    from measured

),

counted as (

    select
        ages.view,
        ages.age_seconds,
        ages.days,
        ages.events,
        sum(coalesce(in_time.events, 0)) over (partition by ages.view order by ages.age_seconds) as events_in_time
    from ages
    left join in_time on ages.view = in_time.view and ages.age_seconds = in_time.required_delay_seconds

)

select
    view,
    age_seconds,
    days,
    events,
    events_in_time,
    {{ share('events_in_time', 'events') }} as share
from counted
