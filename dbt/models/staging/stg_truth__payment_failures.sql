{#- made by make catalog, from streaming/shop/views/payment_failures -#}
{{ truth_rows('payment_failures') }}
