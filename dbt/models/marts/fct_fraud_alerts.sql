{#- made by make catalog, from streaming/shop/views/fraud_alerts -#}
{{ by_day() }}
{{ fact('fraud_alerts') }}
