{#- made by make catalog, from streaming/views/clicks_with_customer -#}
{{ by_day() }}
{{ fact('clicks_with_customer') }}
