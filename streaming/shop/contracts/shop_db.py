"""Tables of the shop's database as topics: their captured changes (option shop-db).

Data flow: topics `shop.public.*`, written by Debezium, keyed by primary key -> silver
Run: daybreak up --with shop-db

The events are called like those of the topics `customers` and `products`, and so are their fields: a view reads either. The
commit dates a change. `changed_at` is what the application says, data like any other column: nobody else has to write it.
"""

from dataclasses import replace

from infra.lake.columns import column, struct
from streaming.contracts.captured import Captured
from streaming.contracts.contract import Contract, between, is_text, length_between, matches
from streaming.shop.contracts.customers import CUSTOMERS
from streaming.shop.contracts.products import PRODUCTS

MENDED_BY = {"again": "daybreak shop-db snapshot", "check": "daybreak shop-db check"}
_CHANGED_AT = column(
    "changed_at", "string", "When the shop says that it changed the row: any time, or `infinity` (UTC)"
)

SHOP_CUSTOMERS = replace(
    CUSTOMERS,
    topic="shop.public.customers",
    description="The table `customers` of the shop's database: every change of a row.",
    payload=struct(*CUSTOMERS.payload, column("note", "string", "A note of the shop's; null without one"), _CHANGED_AT),
    rules=(*CUSTOMERS.rules, is_text("note"), is_text("changed_at")),
    encoding="debezium",
    captured=Captured(
        key=("customer_id",),
        types={"c": "customer_registered", "u": "customer_moved", "d": "customer_left"},
        **MENDED_BY,
    ),
)

SHOP_PRODUCTS = replace(
    PRODUCTS,
    topic="shop.public.products",
    description="The table `products` of the shop's database: every change of a row.",
    payload=struct(
        *PRODUCTS.payload,
        column("weight_kg", "string", "Its weight in kg, a decimal or NAN; null if unknown"),
        column("description", "string", "Its description; null without one"),
        _CHANGED_AT,
    ),
    rules=(
        *PRODUCTS.rules,
        is_text("weight_kg"),
        matches("weight_kg", r"-?[0-9]{1,5}\.[0-9]{3}|NAN"),
        is_text("description"),
        length_between("description", 0, 20_000),
        is_text("changed_at"),
    ),
    encoding="debezium",
    captured=Captured(
        key=("product_id",),
        types={"c": "product_listed", "u": "product_changed", "d": "product_withdrawn"},
        **MENDED_BY,
    ),
)

_STOCK = ("product_id", "warehouse", "on_hand")

SHOP_STOCK = Contract(
    topic="shop.public.stock",
    description="The table `stock` of the shop's database: every change of a row.",
    key="product_id",
    payload=struct(
        column("product_id", "string", "The product"),
        column("warehouse", "string", "Where it lies"),
        column("on_hand", "bigint", "Pieces there; null when the row was deleted"),
        _CHANGED_AT,
    ),
    required={"stock_opened": _STOCK, "stock_counted": _STOCK, "stock_closed": ("product_id", "warehouse")},
    rules=(
        is_text("product_id"),
        length_between("product_id", 1, 100),
        is_text("warehouse"),
        length_between("warehouse", 1, 100),
        between("on_hand", -1_000_000_000, 1_000_000_000),
        is_text("changed_at"),
    ),
    encoding="debezium",
    captured=Captured(
        key=("product_id", "warehouse"),
        types={"c": "stock_opened", "u": "stock_counted", "d": "stock_closed"},
        **MENDED_BY,
    ),
)

_STANDS = ("order_id", "status", "paid_cents", "failed_payments")

SHOP_ORDERS = Contract(
    topic="shop.public.orders",
    description="The table `orders` of the shop's database: every change of a row.",
    key="order_id",
    payload=struct(
        column("order_id", "string", "The order"),
        column("customer_id", "string", "Who ordered; null while only payments are known"),
        column(
            "status", "string", "unknown, placed, paid, shipped, cancelled or refunded; null when the row was deleted"
        ),
        column("lines", "bigint", "Lines of the order; null while only payments are known"),
        column("total_cents", "bigint", "The order's total, in cents; null while only payments are known"),
        column("paid_cents", "bigint", "Captured less refunded, in cents; null when the row was deleted"),
        column("failed_payments", "bigint", "Payments that failed; null when the row was deleted"),
        column("reason", "string", "Why it was cancelled; null if it was not"),
        _CHANGED_AT,
    ),
    required={"order_recorded": _STANDS, "order_changed": _STANDS, "order_removed": ("order_id",)},
    rules=(
        is_text("order_id"),
        length_between("order_id", 1, 100),
        is_text("customer_id"),
        length_between("customer_id", 1, 100),
        matches("status", "unknown|placed|paid|shipped|cancelled|refunded"),
        between("lines", 0, 10**18),
        between("total_cents", 0, 10**18),
        between("paid_cents", -(10**18), 10**18),
        between("failed_payments", 0, 10**18),
        is_text("reason"),
        is_text("changed_at"),
    ),
    encoding="debezium",
    captured=Captured(
        key=("order_id",),
        types={"c": "order_recorded", "u": "order_changed", "d": "order_removed"},
        **MENDED_BY,
    ),
)

TABLES = {CUSTOMERS.topic: SHOP_CUSTOMERS.topic, PRODUCTS.topic: SHOP_PRODUCTS.topic}
"""Which topic's place a table's changes take in the views, with the option shop-db-views."""
