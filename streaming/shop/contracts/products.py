"""Products: listed, changed or withdrawn. A changelog: the newest event of a product_id is the product as it is.

Data flow: topic `products`, keyed by product_id -> silver
Run: daybreak query "SELECT * FROM staging.stg_silver__products ORDER BY event_time DESC LIMIT 5"
"""

from infra.lake.columns import column, struct
from streaming.contracts.contract import Contract, between, is_text, length_between, matches

_FIELDS = ("product_id", "title", "brand", "price_cents")

PRODUCTS = Contract(
    topic="products",
    description="Changelog of the products on sale: listed, changed or withdrawn.",
    key="product_id",
    payload=struct(
        column("product_id", "string", "The product"),
        column("title", "string", "Its title; null when withdrawn"),
        column("brand", "string", "Its brand; null when withdrawn"),
        column("price_cents", "bigint", "Price of one, in cents; null when withdrawn"),
    ),
    required={"product_listed": _FIELDS, "product_changed": _FIELDS, "product_withdrawn": ("product_id",)},
    rules=(
        matches("product_id", "p-[0-9]{1,12}"),
        is_text("title"),
        length_between("title", 1, 200),
        is_text("brand"),
        length_between("brand", 1, 100),
        between("price_cents", 0, 100_000_000),
    ),
)
