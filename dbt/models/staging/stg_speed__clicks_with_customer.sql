{#- made by make catalog, from streaming/views/clicks_with_customer -#}
{{ speed_rows('clicks_with_customer') }}
