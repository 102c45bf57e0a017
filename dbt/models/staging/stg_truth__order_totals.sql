{#- made by make catalog, from streaming/shop/views/order_totals -#}
{{ truth_rows('order_totals') }}
