{#- made by make catalog, from streaming/shop/views/viewed_together -#}
{{ config(materialized='view') }}
{{ history('viewed_together') }}
