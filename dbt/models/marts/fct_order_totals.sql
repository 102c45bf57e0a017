{#- made by make catalog, from streaming/views/order_totals -#}
{{ fact('order_totals') }}
