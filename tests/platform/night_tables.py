"""The tables that a night writes, and their rows without what says which night it was.

Data flow: rows of a table -> comparable rows
Run: pytest tests/platform/test_07_nights.py
"""

from typing import Any

TABLES = (
    "archive/events",
    "archive/gaps",
    "reconciliation/conservation",
    "truth/events",
    "truth/quarantine",
    "truth/order_totals",
    "truth/order_payments",
    "reconciliation/differences",
    "reconciliation/evidence",
    "reconciliation/summary",
    "reconciliation/corrections",
    "reconciliation/settlements",
)
STAMPS = frozenset({"run", "revision", "settled_at", "offsets", "horizon", "rows_open", "open_until"})
"""What says which night it was, and how far it, and the stream, had read the log; nothing else."""


def content(rows: list[dict[str, Any]], without: frozenset[str] = frozenset()) -> list[str]:
    """Sorted, as text."""
    return sorted(repr({name: value for name, value in row.items() if name not in without}) for row in rows)
