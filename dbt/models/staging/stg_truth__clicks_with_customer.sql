{#- made by make catalog, from streaming/views/clicks_with_customer -#}
{{ truth_rows('clicks_with_customer') }}
