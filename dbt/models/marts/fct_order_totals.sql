{#- made by make catalog, from streaming/shop/views/order_totals -#}
{{ by_day() }}
{{ fact('order_totals') }}
