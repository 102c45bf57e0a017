{#- made by make catalog, from streaming/shop/views/click_through -#}
{{ speed_rows('click_through') }}
