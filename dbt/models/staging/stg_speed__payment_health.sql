{#- made by make catalog, from streaming/shop/views/payment_health -#}
{{ speed_rows('payment_health') }}
