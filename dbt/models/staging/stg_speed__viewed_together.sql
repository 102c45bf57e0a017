{#- made by make catalog, from streaming/views/viewed_together -#}
{{ speed_rows('viewed_together') }}
