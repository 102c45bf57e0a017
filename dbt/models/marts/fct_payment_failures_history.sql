{#- made by make catalog, from streaming/shop/views/payment_failures -#}
{{ config(materialized='view') }}
{{ history('payment_failures') }}
