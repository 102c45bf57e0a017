{#- made by make catalog, from streaming/views/payment_failures -#}
{{ by_day() }}
{{ fact('payment_failures') }}
