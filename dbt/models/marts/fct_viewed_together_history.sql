{#- made by make catalog, from streaming/views/viewed_together -#}
{{ config(materialized='view') }}
{{ history('viewed_together') }}
