with summary as (

    select * from {{ ref('stg_reconciliation__summary') }}

),

settlements as (

    select * from {{ ref('stg_reconciliation__settlements') }}

),

decisions as (

    select * from {{ ref('stg_reconciliation__decisions') }}

),

corrections as (

    select
        day,
        view,
        count(distinct key) as rows_corrected
    from {{ ref('stg_reconciliation__corrections') }}
    group by day, view

),

missing as (

    {{ records_missing('summary') }}

)

select
    summary.day,
    summary.view,
    summary.measure,
    summary.speed,
    summary.late,
    summary.partner_late,
    summary.not_read,
    summary.gap,
    summary.rule,
    summary.duplicate,
    summary.conflict,
    summary.truth,
    summary.unexplained,
    summary.rows_differing,
    summary.rows_unexplained,
    coalesce(corrections.rows_corrected, 0) as rows_corrected,
    coalesce(missing.records_missing, 0) as records_missing,
    settlements.settled_at,
    settlements.revision,
    decisions.decision,
    decisions.decided_by,
    decisions.note,
    summary.run
from summary
left join settlements on summary.day = settlements.day
-- A settled day needs no approval any more.
left join decisions on summary.day = decisions.day and settlements.day is null
left join corrections on summary.day = corrections.day and summary.view = corrections.view
left join missing on summary.day = missing.day
