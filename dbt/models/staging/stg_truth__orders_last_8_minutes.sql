{#- made by make catalog, from streaming/shop/views/orders_last_8_minutes -#}
{{ truth_rows('orders_last_8_minutes') }}
