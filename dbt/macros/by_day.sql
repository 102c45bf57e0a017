{#- A fact is partitioned by day, and a build replaces the days that may have changed. -#}
{% macro by_day() -%}
    {{ config(materialized='incremental', incremental_strategy='insert_overwrite', partition_by=['day']) }}
{%- endmacro %}
