{#- made by make catalog, from streaming/shop/views/shop_visits -#}
{{ by_day() }}
{{ fact('shop_visits') }}
