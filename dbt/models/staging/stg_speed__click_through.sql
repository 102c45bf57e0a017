{#- made by make catalog, from streaming/views/click_through -#}
{{ speed_rows('click_through') }}
