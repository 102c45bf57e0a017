{#- What the shop's own marts are to the platform's: its facts beside one per view, its reports, and its models with records_missing. -#}
{% macro own_facts() %}
{{ return(['fct_orders', 'fct_daily_orders']) }}
{% endmacro %}

{% macro own_reports() %}
{{ return([
    'rpt_click_through',
    'rpt_viewed_together',
    'rpt_open_orders_by_region',
]) }}
{% endmacro %}

{% macro own_models_of_gaps() %}
{{ return(['fct_daily_orders']) }}
{% endmacro %}
