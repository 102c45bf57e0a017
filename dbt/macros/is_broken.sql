{#- Over the rows of one key: does it occur more than once, or is a column of `meta.present` null in one of them? -#}
{% macro is_broken(meta) -%}
    count(*) > 1{% for column in meta.get('present', []) %} or count({{ column }}) < count(*){% endfor %}
{%- endmacro %}
