{#- made by make catalog, from streaming/views/payment_failures -#}
{{ truth_rows('payment_failures') }}
