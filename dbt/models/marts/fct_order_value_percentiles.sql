{#- made by make catalog, from streaming/shop/views/order_value_percentiles -#}
{{ by_day() }}
{{ fact('order_value_percentiles') }}
