{#- The models that serve rows of a day from one of two layers: one per view, and what is made of them. -#}
{% macro facts() %}
{%- set found = [] -%}
{%- for view in views() -%}
    {%- do found.append('fct_' ~ view) -%}
{%- endfor -%}
{{ return(found + ['fct_orders', 'fct_daily_orders']) }}
{% endmacro %}
