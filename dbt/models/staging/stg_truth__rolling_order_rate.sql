{#- made by make catalog, from streaming/shop/views/rolling_order_rate -#}
{{ truth_rows('rolling_order_rate') }}
