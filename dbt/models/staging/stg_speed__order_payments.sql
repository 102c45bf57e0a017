{#- made by make catalog, from streaming/views/order_payments -#}
{{ speed_rows('order_payments') }}
