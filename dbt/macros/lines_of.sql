{#- Of an order's items: how many lines they are, and how many pieces. -#}
{% macro lines_of(items) -%}
    size({{ items }}) as lines,
        aggregate({{ items }}, 0L, (sum, item) -> sum + item.quantity) as items
{%- endmacro %}
