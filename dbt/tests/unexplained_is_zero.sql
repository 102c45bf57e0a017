-- Fails on every measure in which the stream and the truth differ without a cause.
select *
from {{ ref('rpt_reconciliation') }}
where unexplained <> 0 or rows_unexplained <> 0
