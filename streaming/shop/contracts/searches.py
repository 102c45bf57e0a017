"""Searches: what a member of the shop looked for in a visit (session), and the products that were shown.

Data flow: topic `searches`, keyed by session_id -> silver
Run: daybreak query "SELECT query, count(*) FROM staging.stg_silver__searches GROUP BY query"
"""

from infra.lake.columns import column, struct
from streaming.contracts.contract import (
    Contract,
    elements_match,
    is_text,
    length_between,
    matches,
    size_between,
)

SEARCHES = Contract(
    topic="searches",
    description="Searches in the shop, with the products shown.",
    key="session_id",
    payload=struct(
        column("session_id", "string", "The visit"),
        column("customer_id", "string", "Who searched"),
        column("query", "string", "The words looked for"),
        column("product_ids", "array<string>", "Products shown, the first position first; empty if none was found"),
    ),
    required={"search_made": ("session_id", "customer_id", "query", "product_ids")},
    rules=(
        matches("session_id", "v-[0-9a-f]{8,32}"),
        matches("customer_id", "c-[0-9]{1,12}"),
        is_text("query"),
        length_between("query", 1, 200),
        *elements_match("product_ids", "p-[0-9]{1,12}"),
        size_between("product_ids", 0, 100),
    ),
)
