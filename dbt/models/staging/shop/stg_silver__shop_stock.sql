{{ config(enabled=env_var('DAYBREAK_SHOP_DB', '') == 'on') }}
{{ captured_changes(source('silver', 'events'), 'stock', ['product_id', 'warehouse', 'on_hand', 'changed_at']) }}
