{#- made by make catalog, from streaming/shop/contracts/customers -#}
{{ topic_events('truth', 'customers') }}
