{#- made by make catalog, from streaming/contracts/payments -#}
{{ topic_events('silver', 'payments') }}
