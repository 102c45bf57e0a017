{#- made by make catalog, from streaming/views/order_totals -#}
{{ config(materialized='view') }}
{{ history('order_totals') }}
