{#- made by make catalog, from streaming/shop/views/open_orders_by_region -#}
{{ speed_rows('open_orders_by_region') }}
