with events as (

    select * from {{ source('silver', 'events') }}

)

select
    event_id,
    orders.order_id as order_id,
    orders.customer_id as customer_id,
    event_time as ordered_at,
    size(orders.items) as lines,
    aggregate(orders.items, 0L, (sum, item) -> sum + item.quantity) as items,
    orders.total_cents as total_cents,
    arrival as arrived_at,
    late_by_ms > 0 as is_late,
    day
from events
where event_type = 'order_placed'
