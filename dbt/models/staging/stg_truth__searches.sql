{#- made by make catalog, from streaming/shop/contracts/searches -#}
{{ topic_events('truth', 'searches') }}
