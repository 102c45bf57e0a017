{{ config(materialized='view') }}

with versions as (

    {{ versions(
        'order_payments',
        key={'order_id': 'string'},
        values={
            'customer_id': 'string',
            'ordered_at': 'timestamp',
            'total_cents': 'bigint',
            'status': 'string',
            'payment_id': 'string',
            'captured_at': 'timestamp',
            'amount_cents': 'bigint'
        }
    ) }}

)

select
    order_id,
    said.customer_id,
    said.ordered_at,
    day,
    said.total_cents,
    {{ payment_status('said.status') }} as payment_status,
    said.payment_id,
    said.captured_at,
    said.amount_cents as paid_cents,
    is_final,
    status,
    revision,
    revisions,
    cause,
    valid_from,
    valid_to
from versions
