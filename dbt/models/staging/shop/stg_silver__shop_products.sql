{{ config(enabled=env_var('DAYBREAK_SHOP_DB', '') == 'on') }}
{{ captured_changes(source('silver', 'events'), 'products', ['product_id', 'title', 'brand', 'price_cents', 'weight_kg', 'description', 'changed_at']) }}
