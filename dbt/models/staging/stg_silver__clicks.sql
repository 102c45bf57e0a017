{#- made by make catalog, from streaming/contracts/clicks -#}
{{ topic_events('silver', 'clicks') }}
