{#- made by make catalog, from streaming/shop/views/open_orders_by_region -#}
{{ config(materialized='view') }}
{{ history('open_orders_by_region') }}
