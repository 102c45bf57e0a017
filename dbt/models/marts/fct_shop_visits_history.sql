{#- made by make catalog, from streaming/shop/views/shop_visits -#}
{{ config(materialized='view') }}
{{ history('shop_visits') }}
