{#- made by make catalog, from streaming/shop/views/click_through -#}
{{ truth_rows('click_through') }}
