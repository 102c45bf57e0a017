{#- made by make catalog, from streaming/shop/views/viewed_together -#}
{{ truth_rows('viewed_together') }}
