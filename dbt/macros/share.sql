{#- A share as a decimal, cut off after nine places and never rounded up, so it is 1 only if the part is the whole. -#}
{% macro share(part, whole) -%}
    cast(floor(cast({{ part }} as decimal(20, 0)) / nullif(cast({{ whole }} as decimal(20, 0)), 0), 9) as decimal(18, 9))
{%- endmacro %}
