{#- An order that is unpaid inside its hour is open: a payment may still come. -#}
{% macro payment_status(said) -%}
    if({{ said }} = 'unpaid' and not is_final, 'open', {{ said }})
{%- endmacro %}
