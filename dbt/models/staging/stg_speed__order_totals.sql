{#- made by make catalog, from streaming/shop/views/order_totals -#}
{{ speed_rows('order_totals') }}
