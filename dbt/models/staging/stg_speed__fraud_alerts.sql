{#- made by make catalog, from streaming/shop/views/fraud_alerts -#}
{{ speed_rows('fraud_alerts') }}
