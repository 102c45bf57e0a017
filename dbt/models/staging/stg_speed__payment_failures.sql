{#- made by make catalog, from streaming/shop/views/payment_failures -#}
{{ speed_rows('payment_failures') }}
