{#- made by make catalog, from streaming/shop/views/clicks_with_customer -#}
{{ speed_rows('clicks_with_customer') }}
