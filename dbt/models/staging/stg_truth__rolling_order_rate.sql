{#- made by make catalog, from streaming/views/rolling_order_rate -#}
{{ truth_rows('rolling_order_rate') }}
