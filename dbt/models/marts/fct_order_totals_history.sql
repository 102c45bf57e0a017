{{ config(materialized='view') }}

with versions as (

    {{ versions(
        'order_totals',
        key={'window_start': 'timestamp'},
        values={'window_end': 'timestamp', 'orders': 'bigint', 'items': 'bigint', 'revenue_cents': 'bigint'}
    ) }}

)

select
    window_start,
    said.window_end,
    day,
    said.orders,
    said.items,
    said.revenue_cents,
    is_final,
    status,
    revision,
    revisions,
    cause,
    valid_from,
    valid_to
from versions
