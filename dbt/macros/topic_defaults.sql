{#- made by make catalog, from streaming/shop/contracts: what readers see where an event lacks a field, as SQL -#}
{% macro topic_defaults() %}
{{ return({
    "orders": {
        "currency": "'EUR'"
    }
}) }}
{% endmacro %}
