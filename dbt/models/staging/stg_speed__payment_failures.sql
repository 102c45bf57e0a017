{#- made by make catalog, from streaming/views/payment_failures -#}
{{ speed_rows('payment_failures') }}
