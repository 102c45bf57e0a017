{#- made by make catalog, from streaming/shop/views/payment_health -#}
{{ truth_rows('payment_health') }}
