{#- made by make catalog, from streaming/views/order_payments -#}
{{ truth_rows('order_payments') }}
