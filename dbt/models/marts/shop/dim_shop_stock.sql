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
{{ captured_rows(ref('stg_silver__shop_stock'), ['product_id', 'warehouse'], 'stock_closed', ['product_id', 'warehouse', 'on_hand', 'changed_at']) }}
