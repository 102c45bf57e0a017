{#- made by make catalog, from streaming/shop/views/order_payments -#}
{{ by_day() }}
{{ fact('order_payments') }}
