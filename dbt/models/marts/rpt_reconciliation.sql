with summary as (

    select * from {{ ref('stg_reconciliation__summary') }}

),

coverage as (

    select * from {{ ref('stg_reconciliation__coverage') }}

),

-- Of a settled day nobody need know who was asked before.
held as (

    select decisions.*
    from {{ ref('stg_reconciliation__decisions') }} as decisions
    left anti join coverage on decisions.day = coverage.day

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
    summary.stream_said,
    summary.late,
    summary.partner_late,
    summary.not_read,
    summary.gap,
    summary.rule,
    summary.duplicate,
    summary.conflict,
    summary.pending,
    summary.truth,
    summary.unexplained,
    summary.rows_differing,
    summary.rows_unexplained,
    coalesce(corrections.rows_corrected, 0) as rows_corrected,
    coalesce(missing.records_missing, 0) as records_missing,
    coverage.settled_at,
    coverage.revision,
    held.decision,
    held.decided_by,
    held.note,
    summary.run
from summary
left join coverage on summary.day = coverage.day
left join held on summary.day = held.day
left join corrections on summary.day = corrections.day and summary.view = corrections.view
left join missing on summary.day = missing.day
