{#- The models that serve each day from one of the two layers: one per view, and the project's own, built on these. -#}
{% macro facts() %}
{%- set found = [] -%}
{%- for view in views() -%}
    {%- do found.append('fct_' ~ view) -%}
{%- endfor -%}
{{ return(found + own_facts()) }}
{% endmacro %}
