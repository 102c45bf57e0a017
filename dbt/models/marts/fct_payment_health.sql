{#- made by make catalog, from streaming/views/payment_health -#}
{{ by_day() }}
{{ fact('payment_health') }}
