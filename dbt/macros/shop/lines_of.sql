{#- Of an order's items: the number of lines, and the sum of their quantities. -#}
{% macro lines_of(items) -%}
    size({{ items }}) as lines,
        aggregate({{ items }}, 0L, (sum, item) -> sum + item.quantity) as items
{%- endmacro %}
