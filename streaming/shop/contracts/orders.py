"""Orders: placed with their items and total, added to, shipped, or cancelled.

Data flow: topic `orders`, keyed by order_id -> silver
Run: daybreak query "SELECT * FROM staging.stg_silver__orders LIMIT 5"
"""

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType

from infra.lake.columns import column, struct
from streaming.contracts.array_rules import each_between, each_has, each_matches, each_names_only
from streaming.contracts.contract import Contract, Rule, Version, between, is_text, matches
from streaming.reasons import Reason

ITEM = struct(
    column("product_id", "string", "The product"),
    column("quantity", "bigint", "How many"),
    column("unit_price_cents", "bigint", "Price of one, in cents"),
)


def items_total(event: Column) -> Column:
    """Sum of quantity times price in cents; null where it does not fit 64 bits."""
    return F.aggregate(
        event["items"],
        F.lit(0).cast("long"),
        lambda total, item: F.try_add(total, F.try_multiply(item["quantity"], item["unit_price_cents"])),
    )


ORDERS = Contract(
    topic="orders",
    description="The shop's orders: placed with items and total, added to, shipped, or cancelled.",
    key="order_id",
    payload=struct(
        column("order_id", "string", "The order"),
        column("customer_id", "string", "Who ordered"),
        column(
            "items", ArrayType(ITEM), "Lines: product, quantity, unit price; of a placed order, or those that are added"
        ),
        column("total_cents", "bigint", "What these lines cost, in cents"),
        column("reason", "string", "Why it was cancelled; of a cancelled order"),
        column("channel", "string", "Where it was ordered, e.g. app; null: not told, or version 1"),
        column("currency", "string", "Currency of all amounts; EUR where the event does not tell it"),
    ),
    required={
        "order_placed": ("order_id", "customer_id", "items", "total_cents"),
        "items_added": ("order_id", "customer_id", "items", "total_cents"),
        "order_shipped": ("order_id", "customer_id"),
        "order_cancelled": ("order_id", "customer_id", "reason"),
    },
    rules=(
        matches("order_id", "o-[0-9a-f]{8,32}"),
        matches("customer_id", "c-[0-9]{1,12}"),
        is_text("reason"),
        each_has("items", *ITEM.fieldNames()),
        *each_names_only("items", *ITEM.fieldNames()),
        each_matches("items", "product_id", "p-[0-9]{1,12}"),
        each_between("items", "quantity", 1, 1000),
        each_between("items", "unit_price_cents", 0, 100_000_000),
        Rule(Reason.OUT_OF_RANGE, lambda event: ~F.size(event["items"]).between(1, 100)),
        between("total_cents", 0, 10**13),
        Rule(Reason.TOTAL_MISMATCH, lambda event: event["total_cents"] != items_total(event)),
    ),
    later=(
        Version(
            2,
            adds=("channel", "currency"),
            defaults={"currency": "EUR"},
            # Views sum cents, so an amount in another currency is refused until a view keeps currencies apart.
            rules=(is_text("channel"), matches("channel", "[a-z][a-z_]{0,19}"), matches("currency", "EUR")),
        ),
    ),
)
