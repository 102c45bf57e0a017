{#- made by make catalog, from streaming/shop/views/order_value_percentiles -#}
{{ speed_rows('order_value_percentiles') }}
