{#- made by make catalog, from streaming/shop/views/rolling_order_rate -#}
{{ speed_rows('rolling_order_rate') }}
