{#- made by make catalog, from streaming/contracts/customers -#}
{{ topic_events('silver', 'customers') }}
