{#- made by make catalog, from streaming/shop/views/clicks_with_customer -#}
{{ by_day() }}
{{ fact('clicks_with_customer') }}
