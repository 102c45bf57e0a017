{#- made by make catalog, from streaming/views/search_matches -#}
{{ truth_rows('search_matches') }}
