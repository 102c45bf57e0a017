{#- The position is a property of the table: it comes with the rows in one commit, and was read before them. -#}
{{
    config(
        enabled=env_var('DAYBREAK_SHOP_DB', '') == 'on',
        tblproperties={
            'delta.enableDeletionVectors': 'false',
            'daybreak.position': env_var('DAYBREAK_SHOP_DB_POSITION', '{}')
        }
    )
}}
{{ captured_rows(ref('stg_silver__shop_products'), ['product_id'], 'product_withdrawn', ['product_id', 'title', 'brand', 'price_cents', 'weight_kg', 'description', 'changed_at']) }}
