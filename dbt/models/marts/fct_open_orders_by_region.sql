{#- made by make catalog, from streaming/shop/views/open_orders_by_region -#}
{{ by_day() }}
{{ fact('open_orders_by_region') }}
