{#- made by make catalog, from streaming/shop/views/clicks_with_customer -#}
{{ config(materialized='view') }}
{{ history('clicks_with_customer') }}
