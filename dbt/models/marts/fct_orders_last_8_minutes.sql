{#- made by make catalog, from streaming/shop/views/orders_last_8_minutes -#}
{{ by_day() }}
{{ fact('orders_last_8_minutes') }}
