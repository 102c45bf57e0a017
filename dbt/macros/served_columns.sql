{#-
  A view's columns as gold serves them. While a row is not final, a value in `while_open` is replaced by its other name.
  `within`: the name of the struct that holds the value columns, if there is one; the key columns are never in it.
-#}
{% macro served_columns(view, within=none) -%}
    {%- set own = views()[view] -%}
    {%- for column in own.columns -%}
        {%- set value = within ~ "." ~ column if within and column not in own.key else column -%}
        {%- if column in own.while_open -%}
            {%- set closed, open = own.while_open[column] -%}
            if({{ value }} = '{{ closed }}' and not is_final, '{{ open }}', {{ value }}) as {{ column }}
        {%- else -%}
            {{ value }}{{ " as " ~ column if value != column }}
        {%- endif -%}
        {{ ",\n    " if not loop.last }}
    {%- endfor -%}
{%- endmacro %}
