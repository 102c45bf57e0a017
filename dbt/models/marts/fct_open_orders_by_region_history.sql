{#- made by make catalog, from streaming/views/open_orders_by_region -#}
{{ config(materialized='view') }}
{{ history('open_orders_by_region') }}
