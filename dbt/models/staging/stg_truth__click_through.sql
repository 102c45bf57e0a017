{#- made by make catalog, from streaming/views/click_through -#}
{{ truth_rows('click_through') }}
