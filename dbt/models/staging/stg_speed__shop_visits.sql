{#- made by make catalog, from streaming/views/shop_visits -#}
{{ speed_rows('shop_visits') }}
