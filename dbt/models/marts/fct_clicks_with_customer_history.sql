{#- made by make catalog, from streaming/views/clicks_with_customer -#}
{{ config(materialized='view') }}
{{ history('clicks_with_customer') }}
