{#- made by make catalog, from streaming/shop/views/payment_health -#}
{{ config(materialized='view') }}
{{ history('payment_health') }}
