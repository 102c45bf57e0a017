{#- made by make catalog, from streaming/shop/views/order_payments -#}
{{ speed_rows('order_payments') }}
