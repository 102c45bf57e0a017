{#- made by make catalog, from streaming/shop/contracts/products -#}
{{ topic_events('silver', 'products') }}
