"""Both views once more, in plain Python: from what was sent, and from silver, to compare with what the platform says.

Data flow: ledger's payloads, silver -> order_totals, order_payments -> a list of what differs from truth/*, speed/*
Run: pytest tests/platform/test_06_truth.py
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple

from accounting import TIGHTENED, is_valid, payload, where
from running import TOPICS, VIEWS, Platform

WITHIN = timedelta(days=3)
LAST = datetime.max.replace(tzinfo=UTC)
Rows = dict[tuple[Any, ...], tuple[Any, ...]]
"""A view's answer: key and day -> values."""


class Event(NamedTuple):
    """One valid event: its fields as sent, its time, and by how much silver says it was late."""

    fields: Mapping[str, Any]
    time: datetime
    late_by_ms: int = 0


def sent_events(platform: Platform, by_stream: bool = False) -> list[Event]:
    """The first arrival of every valid event, by the broker's clock; of those that were valid when they came, or are now."""
    arrivals = {
        where(row): row["arrival"] for row in platform.rows("bronze/events", "topic", "partition", "offset", "arrival")
    }
    first: dict[str, tuple[tuple[Any, ...], Event]] = {}
    for entry in platform.sent():
        if not is_valid(entry) and (by_stream or entry.kind != TIGHTENED):
            continue
        at = (entry.topic, entry.partition, entry.offset)
        fields = payload(entry)
        order = (arrivals[at], *at)
        if fields["event_id"] not in first or order < first[fields["event_id"]][0]:
            time = datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=fields["event_time"])
            first[fields["event_id"]] = (order, Event(fields, time))
    return [event for _, event in first.values()]


def silver_events(platform: Platform) -> list[Event]:
    """Silver's events of the shop's topics."""
    rows = platform.rows("silver/events", "topic", "event_type", "event_time", *TOPICS, "late_by_ms")
    return [
        Event(
            {"event_type": row["event_type"]} | row[row["topic"]], row["event_time"].astimezone(UTC), row["late_by_ms"]
        )
        for row in rows
        if row["topic"] in TOPICS
    ]


def order_totals(events: Iterable[Event]) -> Rows:
    """(minute,) -> orders, items, revenue in cents."""
    totals: dict[datetime, list[int]] = {}
    for event in events:
        if event.fields["event_type"] in ("order_placed", "items_added"):
            total = totals.setdefault(event.time.replace(second=0, microsecond=0), [0, 0, 0])
            total[0] += event.fields["event_type"] == "order_placed"
            total[1] += sum(item["quantity"] for item in event.fields["items"])
            total[2] += event.fields["total_cents"]
    return {(minute, minute.date()): tuple(total) for minute, total in totals.items()}


def order_payments(events: Iterable[Event]) -> Rows:
    """(order, day) -> customer, time, total, status, payment, its time, its amount."""
    captured: dict[str, list[tuple[datetime, str, int]]] = {}
    placed = []
    for time, fields in ((event.time, event.fields) for event in events):
        if fields["event_type"] == "order_placed":
            placed.append((time, fields))
        elif fields["event_type"] == "payment_captured":
            captured.setdefault(fields["order_id"], []).append((time, fields["payment_id"], fields["amount_cents"]))
    best: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for time, fields in placed:
        paid = min(
            (found for found in captured.get(fields["order_id"], ()) if time <= found[0] <= time + WITHIN), default=None
        )
        key = (fields["order_id"], time.date())
        order = (*(paid or (LAST, "~", 0)), time, fields["total_cents"], fields["customer_id"])
        best[key] = min(best.get(key, order), order)
    return {key: _order(*row) for key, row in best.items()}


def _order(
    captured_at: datetime, payment: str, amount: int, time: datetime, total: int, customer: str
) -> tuple[Any, ...]:
    if captured_at == LAST:
        return customer, time, total, "unpaid", None, None, None
    return customer, time, total, "paid", payment, captured_at, amount


RECOMPUTED: dict[str, Callable[[Iterable[Event]], Rows]] = {
    "order_totals": order_totals,
    "order_payments": order_payments,
}
COLUMNS = {
    "order_totals": (("window_start",), ("orders", "items", "revenue_cents")),
    "order_payments": (
        ("order_id",),
        ("customer_id", "ordered_at", "total_cents", "payment_status", "payment_id", "captured_at", "amount_cents"),
    ),
}


def answered(
    platform: Platform, layer: str, view: str
) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...], dict[str, Any]]]:
    """(key and day, values, row) of a view's table."""
    key, values = COLUMNS[view]
    for row in platform.rows(f"{layer}/{view}"):
        yield (*(_utc(row[name]) for name in key), row["day"]), tuple(_utc(row[name]) for name in values), row


def untrue(platform: Platform, days: Iterable[date]) -> list[str]:
    """Where truth/* is not what the ledger's payloads give, for every row of the days."""
    wanted, events, faults = set(days), sent_events(platform), []
    for view in VIEWS:
        expected = {key: row for key, row in RECOMPUTED[view](events).items() if key[-1] in wanted}
        rows = [(key, values) for key, values, _ in answered(platform, "truth", view) if key[-1] in wanted]
        faults += [f"truth/{view}: {len(rows)} rows for {len(dict(rows))} keys"] if len(rows) != len(dict(rows)) else []
        faults += _different(f"truth/{view}", expected, dict(rows))
    return faults


def misspoken(platform: Platform) -> list[str]:
    """Where the drained stream has not said what its on-time events give, or silver does not give the truth."""
    silver, sent = silver_events(platform), sent_events(platform, by_stream=True)
    faults = unlike_silver(platform, silver)
    for view in VIEWS:
        faults += _different(f"{view} of silver", RECOMPUTED[view](sent), RECOMPUTED[view](silver))
    return faults


def unlike_silver(platform: Platform, silver: Iterable[Event]) -> list[str]:
    """Where the drained stream has not said what the on-time events of silver give."""
    on_time, faults = [event for event in silver if not event.late_by_ms], []
    newest = max(row["generation"] for row in platform.rows("speed/progress", "generation"))
    for view in VIEWS:
        said: dict[tuple[Any, ...], tuple[Any, ...]] = {}
        for key, values, row in answered(platform, "speed", view):
            if row["generation"] == newest:
                candidate = (rank(view, row, values), values)
                said[key] = min(said.get(key, candidate), candidate, key=lambda one: one[0])
        faults += _different(
            f"speed/{view}", RECOMPUTED[view](on_time), {key: values for key, (_, values) in said.items()}
        )
    return faults


def rank(view: str, row: dict[str, Any], values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The smaller, the more a row is the stream's current answer."""
    if view == "order_totals":
        return _latest(row)
    # The first capture wins, whenever it was said; unpaid is what is left; then as `order_payments` chooses among orders.
    customer, time, total, _, payment, captured_at, amount = values
    return captured_at or LAST, payment or "~", amount or 0, time, total, customer, *_latest(row)


def _latest(row: dict[str, Any]) -> tuple[float, int]:
    return -row["as_of"].timestamp(), -row["batch_id"]


def _different(what: str, expected: Rows, found: Rows) -> list[str]:
    wrong = sorted((key for key in expected.keys() | found.keys() if expected.get(key) != found.get(key)), key=str)
    shown = "; ".join(f"{key}: expected {expected.get(key)}, found {found.get(key)}" for key in wrong[:3])
    return [f"{what}: {len(wrong)} of {len(expected)} rows differ: {shown}"] if wrong else []


def _utc(value: Any) -> Any:
    return value.astimezone(UTC) if isinstance(value, datetime) else value
