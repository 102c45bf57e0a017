{#- made by make catalog, from streaming/views/search_matches -#}
{{ by_day() }}
{{ fact('search_matches') }}
