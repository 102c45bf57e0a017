{#- made by make catalog, from streaming/shop/views/payment_health -#}
{{ by_day() }}
{{ fact('payment_health') }}
