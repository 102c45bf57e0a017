{#-
  A condition on a day: may its rows have changed since gold was last built and tested? `batch/gold.py` passes the unchanged days in
  DAYBREAK_UNCHANGED_DAYS; if the variable is empty, all days are built and tested.
-#}
{% macro changed_days(column='day') -%}
    {%- set days = env_var('DAYBREAK_UNCHANGED_DAYS', '') -%}
    {%- if days -%}
        {{ column }} not in (date'{{ days | replace(",", "', date'") }}')
    {%- else -%}
        true
    {%- endif -%}
{%- endmacro %}
