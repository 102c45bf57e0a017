{#- made by make catalog, from streaming/views/shop_visits -#}
{{ truth_rows('shop_visits') }}
