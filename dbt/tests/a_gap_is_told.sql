-- Fails on every settled day that a gap of the log may concern and that does not say how many records it lacks, or says so
-- without a gap.
with coverage as (

    select day from {{ ref('stg_reconciliation__coverage') }}

),

touched as (

    select distinct coverage.day
    from coverage
    inner join {{ ref('stg_archive__gaps') }} as gaps
        on coverage.day >= gaps.from_day and coverage.day <= gaps.to_day

),

told as (

    select 'fct_daily_orders' as model, day, records_missing from {{ ref('fct_daily_orders') }}
    union all
    select 'rpt_reconciliation', day, records_missing from {{ ref('rpt_reconciliation') }}

)

select told.model, told.day, told.records_missing
from told
inner join coverage on told.day = coverage.day
left join touched on told.day = touched.day
where (told.records_missing > 0) <> (touched.day is not null)
