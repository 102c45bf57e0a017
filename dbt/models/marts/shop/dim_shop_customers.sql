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
{{ captured_rows(ref('stg_silver__shop_customers'), ['customer_id'], 'customer_left', ['customer_id', 'name', 'region', 'note', 'changed_at']) }}
