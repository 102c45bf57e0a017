{#- made by make catalog, from streaming/views/order_totals -#}
{{ speed_rows('order_totals') }}
