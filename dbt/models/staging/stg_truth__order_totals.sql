{#- made by make catalog, from streaming/views/order_totals -#}
{{ truth_rows('order_totals') }}
