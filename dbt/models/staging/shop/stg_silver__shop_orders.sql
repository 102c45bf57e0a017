{{ config(enabled=env_var('DAYBREAK_SHOP_DB', '') == 'on') }}
{{ captured_changes(source('silver', 'events'), 'orders', ['order_id', 'customer_id', 'status', 'lines', 'total_cents', 'paid_cents', 'failed_payments', 'reason', 'changed_at']) }}
