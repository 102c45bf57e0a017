{#- made by make catalog, from streaming/shop/views/rolling_order_rate -#}
{{ config(materialized='view') }}
{{ history('rolling_order_rate') }}
