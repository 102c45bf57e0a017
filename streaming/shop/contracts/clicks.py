"""Clicks: a product that was shown by a search of the same visit (session), and was opened.

Data flow: topic `clicks`, keyed by session_id -> silver
Run: daybreak query "SELECT position, count(*) FROM staging.stg_silver__clicks GROUP BY position ORDER BY position"
"""

from infra.lake.columns import column, struct
from streaming.contracts.contract import Contract, between, matches

CLICKS = Contract(
    topic="clicks",
    description="Clicks on products that a search had shown.",
    key="session_id",
    payload=struct(
        column("session_id", "string", "The visit"),
        column("customer_id", "string", "Who clicked"),
        column("product_id", "string", "The product clicked"),
        column("position", "bigint", "Its position among the products shown; the first is 1"),
    ),
    required={"product_clicked": ("session_id", "customer_id", "product_id", "position")},
    rules=(
        matches("session_id", "v-[0-9a-f]{8,32}"),
        matches("customer_id", "c-[0-9]{1,12}"),
        matches("product_id", "p-[0-9]{1,12}"),
        between("position", 1, 100),
    ),
)
