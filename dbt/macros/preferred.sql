{#-
  Which of several candidates of a key is its row: the first by these columns, ascending, nulls last; a view without a
  preference has none here.
-#}
{% macro preferred(view) -%}
    {%- for column in views()[view].prefer -%}
        {{ column }} asc nulls last,{{ " " }}
    {%- endfor -%}
{%- endmacro %}
