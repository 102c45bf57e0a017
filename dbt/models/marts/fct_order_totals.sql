{#- made by make catalog, from streaming/views/order_totals -#}
{{ by_day() }}
{{ fact('order_totals') }}
