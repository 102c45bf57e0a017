{#- Columns as one JSON text that is the same only for the same values: to_json would cut timestamps to milliseconds. -#}
{% macro exactly(columns) -%}
    to_json(struct({{ columns | join(", ") }}), map('timestampFormat', 'yyyy-MM-dd HH:mm:ss.SSSSSS'))
{%- endmacro %}
