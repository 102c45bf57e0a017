"""All that the platform knows of one order: its events in silver and in the truth, its rejected records, its row in gold.

Data flow: silver/events, silver/quarantine, truth/events, gold/fct_orders, each filtered by the order -> Known
Run: daybreak state --order o-0123abcd
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import reduce
from operator import or_
from typing import Any

import pyarrow.compute as pc

from batch.settlement.settlements import SETTLEMENTS
from batch.truth.recompute import TRUTH
from infra.lake import reader
from infra.settings import Settings
from streaming.contracts import CONTRACTS
from streaming.shop.order_state import State, after
from streaming.tables.silver import QUARANTINE, SILVER

KEY = "order_id"
TOPICS = tuple(name for name, contract in CONTRACTS.items() if contract.key == KEY and not contract.captured)
"""The topics whose events are about an order. A captured change tells a state, not what happened."""
_COLUMNS = tuple(CONTRACTS[topic].column for topic in TOPICS)
GOLD = "gold/fct_orders"
_EVENT = ("topic", "event_id", "event_type", "event_time", "arrival", "partition", "offset", "day", *_COLUMNS)


@dataclass(frozen=True)
class Line:
    """An event and the state after it; `late_by_ms`: how far the event was behind the watermark."""

    event_id: str
    event_type: str
    topic: str
    partition: int
    offset: int
    happened: datetime
    arrived: datetime
    late_by_ms: int
    changes: bool
    state: State


@dataclass(frozen=True)
class Known:
    """What the platform knows of an order: rows of each table; `settled`: per settled day, its events in the truth."""

    events: Sequence[dict[str, Any]]
    rejected: Sequence[dict[str, Any]]
    settled: Mapping[date, Sequence[dict[str, Any]]]
    gold: dict[str, Any] | None

    @property
    def truth(self) -> list[dict[str, Any]]:
        """Its events in the truth of all settled days."""
        return [event for events in self.settled.values() for event in events]

    @property
    def unsettled(self) -> list[str]:
        """Ids of events of settled days that only one layer has: what came since the night, and what other rules let through."""
        stream = {event["event_id"] for event in self.events if event["day"] in self.settled}
        return sorted(stream ^ {event["event_id"] for event in self.truth})


def known(s: Settings, order: str) -> Known:
    """Read it all. Raises PermanentFailure if the stream has not written a table yet."""
    of_order = reduce(or_, [pc.field(column, KEY) == order for column in _COLUMNS])
    events = reader.read(s, SILVER.id, [*_EVENT, "late_by_ms"], where=of_order).to_pylist()
    by_key = pc.field("topic").isin(TOPICS) & (pc.field("key") == order.encode())
    rejected = reader.read(s, QUARANTINE.id, ["topic", "partition", "offset", "arrival", "reasons"], where=by_key)
    return Known(events, rejected.to_pylist(), _settled(s, of_order), _served(s, order))


def _settled(s: Settings, of_order: pc.Expression) -> dict[date, list[dict[str, Any]]]:
    if not reader.exists(s, SETTLEMENTS.id):
        return {}
    days = reader.read(s, SETTLEMENTS.id, ["day"])["day"].to_pylist()
    # The night waits for all: nothing is late for it.
    found = [event | {"late_by_ms": 0} for event in reader.read(s, TRUTH.id, [*_EVENT], where=of_order).to_pylist()]
    return {day: [event for event in found if event["day"] == day] for day in days}


def _served(s: Settings, order: str) -> dict[str, Any] | None:
    if not reader.exists(s, GOLD):
        return None
    columns = ["day", "payment_status", "total_cents", "paid_cents", "status", "revisions", "as_of"]
    rows = reader.read(s, GOLD, columns, where=pc.field(KEY) == order).to_pylist()
    return rows[0] if rows else None


def history(
    events: Sequence[dict[str, Any]], at: datetime | None = None, known_at: datetime | None = None
) -> list[Line]:
    """The fold, line by line: of the events that had happened until `at` and had arrived until `known_at`."""
    chosen = [
        event
        for event in events
        if (at is None or event["event_time"] <= at) and (known_at is None or event["arrival"] <= known_at)
    ]
    lines: list[Line] = []
    state = State()
    for event in sorted(chosen, key=lambda one: (one["event_time"], one["arrival"], one["topic"], one["offset"])):
        before, state = state, after(state, event["event_type"], event[CONTRACTS[event["topic"]].column])
        lines.append(
            Line(
                event["event_id"],
                event["event_type"],
                event["topic"],
                event["partition"],
                event["offset"],
                event["event_time"],
                event["arrival"],
                event["late_by_ms"],
                state != before,
                state,
            )
        )
    return lines
