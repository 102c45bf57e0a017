{#- made by make catalog, from streaming/shop/views/shop_visits -#}
{{ truth_rows('shop_visits') }}
