{#- made by make catalog, from streaming/shop/views/viewed_together -#}
{{ by_day() }}
{{ fact('viewed_together') }}
