{#- made by make catalog, from streaming/views/order_payments -#}
{{ config(materialized='view') }}
{{ history('order_payments') }}
