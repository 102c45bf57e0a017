{#- Columns of a view with their types, as from_json reads them. -#}
{% macro column_types(view, columns) -%}
    {%- set types = views()[view].columns -%}
    {%- for column in columns -%}
        {{ column }} {{ types[column] }}{{ ", " if not loop.last }}
    {%- endfor -%}
{%- endmacro %}
