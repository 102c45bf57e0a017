{#- made by make catalog, from streaming/views/payment_health -#}
{{ config(materialized='view') }}
{{ history('payment_health') }}
