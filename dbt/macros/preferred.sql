{#-
  The beginning of an ORDER BY that puts the preferred candidate of a key first: by the view's columns of `prefer`, ascending,
  nulls last. Empty for a view without a preference.
-#}
{% macro preferred(view) -%}
    {%- for column in views()[view].prefer -%}
        {{ column }} asc nulls last,{{ " " }}
    {%- endfor -%}
{%- endmacro %}
