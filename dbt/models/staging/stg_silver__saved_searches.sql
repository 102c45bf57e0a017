{#- made by make catalog, from streaming/shop/contracts/saved_searches -#}
{{ topic_events('silver', 'saved_searches') }}
