{#- made by make catalog, from streaming/shop/views/orders_last_8_minutes -#}
{{ config(materialized='view') }}
{{ history('orders_last_8_minutes') }}
