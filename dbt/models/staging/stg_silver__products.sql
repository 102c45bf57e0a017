{#- made by make catalog, from streaming/contracts/products -#}
{{ topic_events('silver', 'products') }}
