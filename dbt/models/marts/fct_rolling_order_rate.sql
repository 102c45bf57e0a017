{#- made by make catalog, from streaming/shop/views/rolling_order_rate -#}
{{ by_day() }}
{{ fact('rolling_order_rate') }}
