{#- made by make catalog, from streaming/shop/views/fraud_alerts -#}
{{ config(materialized='view') }}
{{ history('fraud_alerts') }}
