{#- made by make catalog, from streaming/contracts: every topic's fields -#}
{% macro topics() %}
{{ return({
    "orders": [
        "order_id",
        "customer_id",
        "items",
        "total_cents",
        "reason",
        "channel",
        "currency"
    ],
    "payments": [
        "payment_id",
        "order_id",
        "card_id",
        "amount_cents"
    ]
}) }}
{% endmacro %}
