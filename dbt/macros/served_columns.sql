{#-
  A view's columns as gold serves them: of a row that is not final, a value of `while_open` goes by its other name.
  `said`: the struct that holds the value columns, if one does; the key never is in it.
-#}
{% macro served_columns(view, said=none) -%}
    {%- set own = views()[view] -%}
    {%- for column in own.columns -%}
        {%- set value = said ~ "." ~ column if said and column not in own.key else column -%}
        {%- if column in own.while_open -%}
            {%- set closed, open = own.while_open[column] -%}
            if({{ value }} = '{{ closed }}' and not is_final, '{{ open }}', {{ value }}) as {{ column }}
        {%- else -%}
            {{ value }}{{ " as " ~ column if value != column }}
        {%- endif -%}
        {{ ",\n    " if not loop.last }}
    {%- endfor -%}
{%- endmacro %}
