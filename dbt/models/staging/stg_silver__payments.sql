{#- made by make catalog, from streaming/shop/contracts/payments -#}
{{ topic_events('silver', 'payments') }}
