{#- made by make catalog, from streaming/views/payment_failures -#}
{{ config(materialized='view') }}
{{ history('payment_failures') }}
