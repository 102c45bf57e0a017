{#- made by make catalog, from streaming/shop/views/click_through -#}
{{ by_day() }}
{{ fact('click_through') }}
