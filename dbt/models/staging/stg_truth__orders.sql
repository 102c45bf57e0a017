{#- made by make catalog, from streaming/shop/contracts/orders -#}
{{ topic_events('truth', 'orders') }}
