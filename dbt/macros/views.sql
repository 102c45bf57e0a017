{#- made by make catalog, from streaming/shop/views: every view as data -#}
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
        "closes": "coalesce(captured_at, ordered_at + INTERVAL 3 DAYS)",
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
    },
    "orders_last_8_minutes": {
        "key": [
            "window_start"
        ],
        "columns": {
            "window_start": "timestamp",
            "window_end": "timestamp",
            "orders": "bigint",
            "revenue_cents": "bigint"
        },
        "closes": "window_end",
        "prefer": [],
        "while_open": {}
    },
    "payment_health": {
        "key": [
            "window_start"
        ],
        "columns": {
            "window_start": "timestamp",
            "window_end": "timestamp",
            "captured": "bigint",
            "failed": "bigint",
            "refunded": "bigint"
        },
        "closes": "window_end",
        "prefer": [],
        "while_open": {}
    },
    "rolling_order_rate": {
        "key": [
            "event_id"
        ],
        "columns": {
            "event_id": "string",
            "order_id": "string",
            "ordered_at": "timestamp",
            "orders": "bigint",
            "revenue_cents": "bigint"
        },
        "closes": "ordered_at",
        "prefer": [],
        "while_open": {}
    },
    "order_value_percentiles": {
        "key": [
            "window_start"
        ],
        "columns": {
            "window_start": "timestamp",
            "window_end": "timestamp",
            "orders": "bigint",
            "p50_cents": "bigint",
            "p95_cents": "bigint",
            "p99_cents": "bigint",
            "largest_cents": "bigint"
        },
        "closes": "window_end",
        "prefer": [],
        "while_open": {}
    },
    "payment_failures": {
        "key": [
            "window_start"
        ],
        "columns": {
            "window_start": "timestamp",
            "window_end": "timestamp",
            "attempts": "bigint",
            "failed": "bigint",
            "failure_rate": "double"
        },
        "closes": "window_end",
        "prefer": [],
        "while_open": {}
    },
    "fraud_alerts": {
        "key": [
            "event_id"
        ],
        "columns": {
            "event_id": "string",
            "card_id": "string",
            "payment_id": "string",
            "amount_cents": "bigint",
            "alerted_at": "timestamp",
            "first_payment_id": "string",
            "began_at": "timestamp",
            "alerts": "bigint"
        },
        "closes": "alerted_at",
        "prefer": [],
        "while_open": {}
    },
    "shop_visits": {
        "key": [
            "customer_id",
            "started_at"
        ],
        "columns": {
            "customer_id": "string",
            "started_at": "timestamp",
            "ended_at": "timestamp",
            "seconds": "bigint",
            "searches": "bigint",
            "clicks": "bigint",
            "orders": "bigint",
            "converted": "bigint",
            "visits": "bigint"
        },
        "closes": "least(ended_at + INTERVAL 30 MINUTES, started_at + INTERVAL 1 DAY)",
        "prefer": [],
        "while_open": {}
    },
    "click_through": {
        "key": [
            "event_id"
        ],
        "columns": {
            "event_id": "string",
            "session_id": "string",
            "customer_id": "string",
            "term": "string",
            "searched_at": "timestamp",
            "clicked_at": "timestamp",
            "clicks": "bigint",
            "clicked": "bigint",
            "searches": "bigint"
        },
        "closes": "searched_at + INTERVAL 1 HOUR",
        "prefer": [],
        "while_open": {}
    },
    "viewed_together": {
        "key": [
            "session_id",
            "started_at",
            "product_id",
            "partner_id"
        ],
        "columns": {
            "session_id": "string",
            "started_at": "timestamp",
            "product_id": "string",
            "partner_id": "string",
            "sessions": "bigint"
        },
        "closes": "started_at + INTERVAL 1 HOUR",
        "prefer": [],
        "while_open": {}
    },
    "clicks_with_customer": {
        "key": [
            "event_id"
        ],
        "columns": {
            "event_id": "string",
            "session_id": "string",
            "customer_id": "string",
            "product_id": "string",
            "clicked_at": "timestamp",
            "name": "string",
            "region": "string",
            "known_since": "timestamp",
            "known": "bigint",
            "clicks": "bigint"
        },
        "closes": "clicked_at",
        "prefer": [],
        "while_open": {}
    },
    "search_matches": {
        "key": [
            "event_id",
            "search_id"
        ],
        "columns": {
            "event_id": "string",
            "search_id": "string",
            "product_id": "string",
            "title": "string",
            "listed_at": "timestamp",
            "customer_id": "string",
            "words": "string",
            "saved_at": "timestamp",
            "matches": "bigint"
        },
        "closes": "listed_at",
        "prefer": [],
        "while_open": {}
    },
    "open_orders_by_region": {
        "key": [
            "event_id",
            "open_from"
        ],
        "columns": {
            "event_id": "string",
            "order_id": "string",
            "open_from": "timestamp",
            "open_to": "timestamp",
            "ordered_at": "timestamp",
            "customer_id": "string",
            "region": "string",
            "total_cents": "bigint",
            "open_ms": "bigint",
            "orders": "bigint",
            "closed": "bigint"
        },
        "closes": "open_to",
        "prefer": [],
        "while_open": {}
    }
}) }}
{% endmacro %}
