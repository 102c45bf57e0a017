"""Customers: registered, moved or left. A changelog: the newest event of a customer_id is the customer as they are.

Data flow: topic `customers`, keyed by customer_id -> silver
Run: daybreak query "SELECT region, count(*) FROM staging.stg_silver__customers GROUP BY region"

Only a customer with an account has a row. An order may also come from a guest, whose customer_id was never registered.
"""

from infra.lake.columns import column, struct
from streaming.contracts.contract import Contract, is_text, length_between, matches

_FIELDS = ("customer_id", "name", "region")

CUSTOMERS = Contract(
    topic="customers",
    description="Changelog of customers with an account: registered, moved or left.",
    key="customer_id",
    payload=struct(
        column("customer_id", "string", "The customer"),
        column("name", "string", "Their name; null when they left"),
        column("region", "string", "Where they live, e.g. north; null when they left"),
    ),
    required={"customer_registered": _FIELDS, "customer_moved": _FIELDS, "customer_left": ("customer_id",)},
    rules=(
        matches("customer_id", "c-[0-9]{1,12}"),
        is_text("name"),
        length_between("name", 1, 200),
        matches("region", "[a-z]{2,20}(?:-[a-z]{2,20})?"),
    ),
)
