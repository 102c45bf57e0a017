{#- made by make catalog, from streaming/views/order_payments -#}
{{ by_day() }}
{{ fact('order_payments') }}
