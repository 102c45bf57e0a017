{#- A model's schema is the one it names: `staging` and `gold` are layers of the lake, not one developer's copies. -#}
{% macro generate_schema_name(custom_schema_name, node) -%}
    {{ custom_schema_name | trim if custom_schema_name else target.schema }}
{%- endmacro %}
