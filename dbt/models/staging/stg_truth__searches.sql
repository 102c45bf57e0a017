{#- made by make catalog, from streaming/contracts/searches -#}
{{ topic_events('truth', 'searches') }}
