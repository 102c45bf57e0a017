{#- made by make catalog, from streaming/shop/views/order_totals -#}
{{ config(materialized='view') }}
{{ history('order_totals') }}
