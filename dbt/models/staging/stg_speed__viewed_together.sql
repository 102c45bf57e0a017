{#- made by make catalog, from streaming/shop/views/viewed_together -#}
{{ speed_rows('viewed_together') }}
