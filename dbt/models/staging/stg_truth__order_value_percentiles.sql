{#- made by make catalog, from streaming/views/order_value_percentiles -#}
{{ truth_rows('order_value_percentiles') }}
