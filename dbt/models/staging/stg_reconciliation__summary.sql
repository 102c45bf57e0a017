with summary as (

    select * from {{ source('reconciliation', 'summary') }}

)

select
    day,
    view,
    measure,
    speed as stream_said,
    late,
    not_read,
    rule,
    duplicate,
    conflict,
    pending,
    truth,
    unexplained,
    rows_differing,
    rows_unexplained,
    run
from summary
