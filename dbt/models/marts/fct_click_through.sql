{#- made by make catalog, from streaming/views/click_through -#}
{{ by_day() }}
{{ fact('click_through') }}
