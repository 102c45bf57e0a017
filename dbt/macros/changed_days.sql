{#-
  A condition on a day: may its answer be another than when gold was last built and tested? `batch/gold.py` says of which days it may
  not; where it says nothing, all days are built and tested.
-#}
{% macro changed_days(column='day') -%}
    {%- set days = env_var('DAYBREAK_UNCHANGED_DAYS', '') -%}
    {%- if days -%}
        {{ column }} not in (date'{{ days | replace(",", "', date'") }}')
    {%- else -%}
        true
    {%- endif -%}
{%- endmacro %}
