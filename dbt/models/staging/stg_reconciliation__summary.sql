with summary as (

    select * from {{ source('reconciliation', 'summary') }}

)

select
    day,
    view,
    measure,
    speed,
    late,
    -- Rows that were written before the column existed have null.
    coalesce(partner_late, 0) as partner_late,
    not_read,
    coalesce(gap, 0) as gap,
    rule,
    duplicate,
    conflict,
    truth,
    unexplained,
    rows_differing,
    rows_unexplained,
    run
from summary
