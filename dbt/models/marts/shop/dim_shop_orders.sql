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
{{ captured_rows(ref('stg_silver__shop_orders'), ['order_id'], 'order_removed', ['order_id', 'customer_id', 'status', 'lines', 'total_cents', 'paid_cents', 'failed_payments', 'reason', 'changed_at']) }}
