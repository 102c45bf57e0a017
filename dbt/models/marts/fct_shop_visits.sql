{#- made by make catalog, from streaming/views/shop_visits -#}
{{ by_day() }}
{{ fact('shop_visits') }}
