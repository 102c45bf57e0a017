{#- made by make catalog, from streaming/shop/views/orders_last_8_minutes -#}
{{ speed_rows('orders_last_8_minutes') }}
