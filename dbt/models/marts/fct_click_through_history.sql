{#- made by make catalog, from streaming/views/click_through -#}
{{ config(materialized='view') }}
{{ history('click_through') }}
