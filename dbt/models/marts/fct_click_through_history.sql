{#- made by make catalog, from streaming/shop/views/click_through -#}
{{ config(materialized='view') }}
{{ history('click_through') }}
