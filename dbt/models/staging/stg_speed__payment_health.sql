{#- made by make catalog, from streaming/views/payment_health -#}
{{ speed_rows('payment_health') }}
