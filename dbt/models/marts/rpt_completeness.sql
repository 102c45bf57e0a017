with curve as (

    select * from {{ ref('stg_reconciliation__curve') }}

),

spans as (

    select
        view,
        count(distinct day) as days,
        max(day) as newest
    from curve
    group by view

),

summed as (

    select
        curve.view,
        curve.measure,
        curve.delay_seconds,
        any(curve.in_force and curve.day = spans.newest) as in_force,
        any_value(spans.days) as days,
        sum(curve.events) as events,
        sum(curve.events_in_time) as events_in_time,
        sum(curve.value) as value,
        sum(curve.value_in_time) as value_in_time,
        sum(curve.rows) as rows,
        sum(curve.rows_final) as rows_final,
        max(curve.state_rows) as state_rows
    from curve
    inner join spans on curve.view = spans.view
    group by curve.view, curve.measure, curve.delay_seconds
    having count(distinct curve.day) = any_value(spans.days)

)

select
    view,
    measure,
    delay_seconds,
    in_force,
    days,
    events,
    events_in_time,
    {{ share('events_in_time', 'events') }} as events_share,
    {{ share('value_in_time', 'value') }} as value_share,
    {{ share('rows_final', 'rows') }} as rows_share,
    state_rows
from summed
