{#- made by make catalog, from streaming/views/rolling_order_rate -#}
{{ config(materialized='view') }}
{{ history('rolling_order_rate') }}
