{#- made by make catalog, from streaming/views/orders_last_8_minutes -#}
{{ truth_rows('orders_last_8_minutes') }}
