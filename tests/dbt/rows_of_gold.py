"""Rows of the lake made by hand for gold's tests, and a minute's history as gold tells it.

Data flow: times and numbers -> rows of speed, settlements and the ledger; Gold -> versions
Run: pytest tests/dbt
"""

import json
from datetime import UTC, date, datetime, timedelta
from typing import Any

from offline_gold import Gold

DAY = date(2026, 1, 31)
NEXT = DAY + timedelta(days=1)
NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
DELAY = timedelta(seconds=600)
SETTLED = (NOON + timedelta(hours=14), NOON + timedelta(hours=38))
"""When DAY was settled first, and again."""
FACTS = ("fct_orders", "fct_order_totals", "fct_order_payments", "fct_daily_orders")
OUR_TESTS = (
    "what_a_fact_claims",
    "what_is_expected_is_what_the_curve_measured",
    "is_true_history_fct_order_totals",
    "is_true_history_fct_order_payments",
    "keys_of_gold",
    "keys_of_staging",
)


def at(minutes: float, start: datetime = NOON) -> datetime:
    return start + timedelta(minutes=minutes)


def progress(batch: int, as_of: datetime, generation: str = "1", **more: Any) -> dict[str, Any]:
    return {
        "query": "ingest",
        "generation": generation,
        "batch_id": batch,
        "as_of": as_of,
        "committed_at": as_of,
    } | more


def minute(start: datetime, orders: int) -> dict[str, Any]:
    """A minute's row, as a view has it."""
    return {
        "window_start": start,
        "window_end": start + timedelta(minutes=1),
        "orders": orders,
        "items": 2 * orders,
        "revenue_cents": 500 * orders,
        "day": start.date(),
    }


def said(
    row: dict[str, Any],
    batch: int,
    as_of: datetime,
    generation: str = "1",
    is_final: bool = False,
    is_removed: bool = False,
) -> dict[str, Any]:
    """A row of speed."""
    flags = {"is_final": is_final, "is_removed": is_removed}
    return row | flags | {"as_of": as_of, "batch_id": batch, "generation": generation, "definition": "v"}


def text(value: Any) -> Any:
    """A time as the ledger's JSON has it."""
    return f"{value:%Y-%m-%dT%H:%M:%S}.{value.microsecond // 1000:03}Z" if isinstance(value, datetime) else value


def correction(old: dict[str, Any] | None, new: dict[str, Any] | None, revision: int, cause: str) -> dict[str, Any]:
    """A row of the ledger about a minute."""
    row = old or new or {}

    def values(one: dict[str, Any] | None) -> str | None:
        return one and json.dumps({k: text(v) for k, v in one.items() if k not in ("window_start", "day")})

    return {
        "day": row["day"],
        "view": "order_totals",
        "key": json.dumps({"window_start": text(row["window_start"])}),
        "old": values(old),
        "new": values(new),
        "cause": cause,
        "run": f"run {revision}",
        "revision": revision,
        "corrected_at": SETTLED[revision - 1] - timedelta(seconds=3),
    }


def covered(revision: int, day: date = DAY) -> dict[str, Any]:
    return {"day": day, "revision": revision, "run": f"run {revision}", "settled_at": SETTLED[revision - 1]}


def state(revision: int, day: date = DAY) -> dict[str, Any]:
    return {"day": day, "truth": f"run {revision}", "reconcile": f"run {revision}"}


def versions(gold: Gold, start: datetime) -> list[tuple[Any, ...]]:
    """A minute's history: orders, status, revision, revisions, cause, valid from, valid to."""
    rows = [row for row in gold.rows("fct_order_totals_history") if utc(row["window_start"]) == start]
    return sorted(
        ((row["orders"], row["status"], row["revision"], row["revisions"], row["cause"], *span(row)) for row in rows),
        key=lambda version: version[-2],
    )


def span(row: dict[str, Any]) -> tuple[datetime, datetime | None]:
    return utc(row["valid_from"]), row["valid_to"] and utc(row["valid_to"])


def utc(value: datetime) -> datetime:
    return value.astimezone(UTC)
