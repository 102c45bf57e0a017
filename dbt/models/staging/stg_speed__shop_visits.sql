{#- made by make catalog, from streaming/shop/views/shop_visits -#}
{{ speed_rows('shop_visits') }}
