{#- made by make catalog, from streaming/views/viewed_together -#}
{{ truth_rows('viewed_together') }}
