{#- made by make catalog, from streaming/contracts/orders -#}
{{ topic_events('silver', 'orders') }}
