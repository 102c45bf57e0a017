-- Fails on every delay for which rpt_expected_completeness and the curve, over the same days, have different numbers of events.
with expected as (

    select * from {{ ref('rpt_expected_completeness') }}

),

curve as (

    select distinct view, delay_seconds, days, events, events_in_time from {{ ref('rpt_completeness') }}

)

select
    expected.*,
    curve.events as curve_events,
    curve.events_in_time as curve_events_in_time
from expected
inner join curve
    on
        expected.view = curve.view
        and expected.age_seconds = curve.delay_seconds
        and expected.days = curve.days
where expected.events <> curve.events or expected.events_in_time <> curve.events_in_time
