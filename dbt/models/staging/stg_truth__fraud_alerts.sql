{#- made by make catalog, from streaming/shop/views/fraud_alerts -#}
{{ truth_rows('fraud_alerts') }}
