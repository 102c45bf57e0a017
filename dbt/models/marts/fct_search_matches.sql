{#- made by make catalog, from streaming/shop/views/search_matches -#}
{{ by_day() }}
{{ fact('search_matches') }}
