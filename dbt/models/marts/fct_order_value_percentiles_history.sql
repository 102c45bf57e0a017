{#- made by make catalog, from streaming/views/order_value_percentiles -#}
{{ config(materialized='view') }}
{{ history('order_value_percentiles') }}
