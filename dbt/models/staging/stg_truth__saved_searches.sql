{#- made by make catalog, from streaming/contracts/saved_searches -#}
{{ topic_events('truth', 'saved_searches') }}
