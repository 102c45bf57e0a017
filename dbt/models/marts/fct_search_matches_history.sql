{#- made by make catalog, from streaming/shop/views/search_matches -#}
{{ config(materialized='view') }}
{{ history('search_matches') }}
