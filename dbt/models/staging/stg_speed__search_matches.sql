{#- made by make catalog, from streaming/shop/views/search_matches -#}
{{ speed_rows('search_matches') }}
