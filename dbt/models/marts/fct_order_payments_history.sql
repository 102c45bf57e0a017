{#- made by make catalog, from streaming/shop/views/order_payments -#}
{{ config(materialized='view') }}
{{ history('order_payments') }}
