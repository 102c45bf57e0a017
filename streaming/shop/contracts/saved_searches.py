"""Saved searches: words that a customer waits for. A changelog: the newest event of a search_id is the search as it is.

Data flow: topic `saved_searches`, keyed by search_id -> silver
Run: daybreak query "SELECT event_type, count(*) FROM staging.stg_silver__saved_searches GROUP BY event_type"
"""

from infra.lake.columns import column, struct
from streaming.contracts.contract import Contract, is_text, length_between, matches

SAVED_SEARCHES = Contract(
    topic="saved_searches",
    description="Changelog of saved searches: the words that a customer waits for, saved or removed.",
    key="search_id",
    payload=struct(
        column("search_id", "string", "The saved search"),
        column("customer_id", "string", "Who saved it"),
        column("words", "string", "The words waited for, separated by spaces; null when removed"),
    ),
    required={"search_saved": ("search_id", "customer_id", "words"), "search_removed": ("search_id", "customer_id")},
    rules=(
        matches("search_id", "s-[0-9a-f]{8,32}"),
        matches("customer_id", "c-[0-9]{1,12}"),
        is_text("words"),
        length_between("words", 1, 200),
    ),
)
