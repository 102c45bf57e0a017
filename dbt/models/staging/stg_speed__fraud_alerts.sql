{#- made by make catalog, from streaming/views/fraud_alerts -#}
{{ speed_rows('fraud_alerts') }}
