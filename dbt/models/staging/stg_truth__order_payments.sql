{#- made by make catalog, from streaming/shop/views/order_payments -#}
{{ truth_rows('order_payments') }}
