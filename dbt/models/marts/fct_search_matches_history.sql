{#- made by make catalog, from streaming/views/search_matches -#}
{{ config(materialized='view') }}
{{ history('search_matches') }}
