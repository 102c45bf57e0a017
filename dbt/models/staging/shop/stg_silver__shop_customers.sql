{{ config(enabled=env_var('DAYBREAK_SHOP_DB', '') == 'on') }}
{{ captured_changes(source('silver', 'events'), 'customers', ['customer_id', 'name', 'region', 'note', 'changed_at']) }}
