{#- made by make catalog, from streaming/shop/views/order_value_percentiles -#}
{{ config(materialized='view') }}
{{ history('order_value_percentiles') }}
