{#- made by make catalog, from streaming/views/payment_health -#}
{{ truth_rows('payment_health') }}
