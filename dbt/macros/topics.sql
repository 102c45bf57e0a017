{#- made by make catalog, from streaming/shop/contracts: every topic's fields -#}
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
    ],
    "searches": [
        "session_id",
        "customer_id",
        "query",
        "product_ids"
    ],
    "clicks": [
        "session_id",
        "customer_id",
        "product_id",
        "position"
    ],
    "products": [
        "product_id",
        "title",
        "brand",
        "price_cents"
    ],
    "saved_searches": [
        "search_id",
        "customer_id",
        "words"
    ],
    "customers": [
        "customer_id",
        "name",
        "region"
    ]
}) }}
{% endmacro %}
