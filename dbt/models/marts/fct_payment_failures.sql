{#- made by make catalog, from streaming/shop/views/payment_failures -#}
{{ by_day() }}
{{ fact('payment_failures') }}
