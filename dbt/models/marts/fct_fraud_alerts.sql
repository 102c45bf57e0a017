{#- made by make catalog, from streaming/views/fraud_alerts -#}
{{ by_day() }}
{{ fact('fraud_alerts') }}
