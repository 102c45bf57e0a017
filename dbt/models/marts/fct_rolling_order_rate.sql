{#- made by make catalog, from streaming/views/rolling_order_rate -#}
{{ by_day() }}
{{ fact('rolling_order_rate') }}
