{#- made by make catalog, from streaming/contracts/saved_searches -#}
{{ topic_events('silver', 'saved_searches') }}
