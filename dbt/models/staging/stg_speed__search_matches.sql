{#- made by make catalog, from streaming/views/search_matches -#}
{{ speed_rows('search_matches') }}
