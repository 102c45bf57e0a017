{#- made by make catalog, from streaming/shop/views/order_value_percentiles -#}
{{ truth_rows('order_value_percentiles') }}
