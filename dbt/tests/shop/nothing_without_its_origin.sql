-- Fails on every payment, minute and order of gold or truth that is missing from the table it is derived from.
select 'payment' as of_a, payment_id as id
from {{ ref('fct_orders') }}
left anti join {{ ref('stg_truth__payments') }} using (payment_id)
-- A payment after midnight is in truth only after its own day has been recomputed, so it is not tested.
where status <> 'provisional' and payment_id is not null and to_date(captured_at) = day
union all
select 'minute', cast(window_start as string)
from {{ ref('fct_order_totals') }}
left anti join {{ ref('fct_daily_orders') }} using (day)
union all
select 'order', order_id
from {{ ref('stg_truth__order_payments') }}
left anti join (select order_id from {{ ref('stg_truth__orders') }} where event_type = 'order_placed') using (order_id)
