{#- made by make catalog, from streaming/views/order_payments -#}
{{ fact('order_payments') }}
