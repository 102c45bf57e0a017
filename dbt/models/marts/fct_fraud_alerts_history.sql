{#- made by make catalog, from streaming/views/fraud_alerts -#}
{{ config(materialized='view') }}
{{ history('fraud_alerts') }}
