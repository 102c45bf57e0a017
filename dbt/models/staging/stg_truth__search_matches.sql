{#- made by make catalog, from streaming/shop/views/search_matches -#}
{{ truth_rows('search_matches') }}
