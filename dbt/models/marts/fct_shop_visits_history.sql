{#- made by make catalog, from streaming/views/shop_visits -#}
{{ config(materialized='view') }}
{{ history('shop_visits') }}
