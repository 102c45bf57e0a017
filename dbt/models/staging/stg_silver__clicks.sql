{#- made by make catalog, from streaming/shop/contracts/clicks -#}
{{ topic_events('silver', 'clicks') }}
