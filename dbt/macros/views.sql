{#- made by make catalog, from streaming/views: every view as data -#}
{% macro views() %}
{{ return({
    "order_totals": {
        "key": [
            "window_start"
        ],
        "columns": {
            "window_start": "timestamp",
            "window_end": "timestamp",
            "orders": "bigint",
            "items": "bigint",
            "revenue_cents": "bigint"
        },
        "closes": "window_end",
        "prefer": [],
        "while_open": {}
    },
    "order_payments": {
        "key": [
            "order_id"
        ],
        "columns": {
            "order_id": "string",
            "customer_id": "string",
            "ordered_at": "timestamp",
            "total_cents": "bigint",
            "payment_status": "string",
            "payment_id": "string",
            "captured_at": "timestamp",
            "amount_cents": "bigint",
            "orders": "bigint",
            "paid_orders": "bigint"
        },
        "closes": "ordered_at + INTERVAL 1 HOUR",
        "prefer": [
            "captured_at",
            "payment_id",
            "amount_cents",
            "ordered_at",
            "total_cents",
            "customer_id"
        ],
        "while_open": {
            "payment_status": [
                "unpaid",
                "open"
            ]
        }
    }
}) }}
{% endmacro %}
