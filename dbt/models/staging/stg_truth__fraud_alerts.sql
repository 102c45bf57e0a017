{#- made by make catalog, from streaming/views/fraud_alerts -#}
{{ truth_rows('fraud_alerts') }}
