"""An order's states as gold tells them, held against the replay of the same events.

Data flow: gold.fct_order_states through the SQL gateway -> Change per row; lines of a history -> the first difference
Run: daybreak state --order o-0123abcd
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import zip_longest
from typing import Any

from batch.shop.order_history import Line
from infra.sql.gateway import opened
from streaming.shop.order_state import State, Status

TABLE = "gold.fct_order_states"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_STATE = ("customer_id", "lines", "total_cents", "paid_cents", "failed_payments", "reason", "is_shipped")


@dataclass(frozen=True)
class Change:
    """A state of an order: since when it held, the event that made it."""

    since: datetime
    event_id: str
    event_type: str
    state: State


def states(order: str, at: datetime | None = None) -> list[Change]:
    """All states that had begun by `at`, in order.

    Raises PermanentFailure if gold has no such table, TransientFailure if the gateway does not answer.
    """
    columns = f"unix_micros(valid_from), event_id, event_type, status, {', '.join(_STATE)}"
    # As bytes, because an id is what anyone has typed.
    own = f"order_id = CAST(X'{order.encode().hex()}' AS STRING)"
    with opened() as gateway:
        rows = gateway.execute(f"SELECT {columns} FROM {TABLE} WHERE {own} ORDER BY change_number").rows
    found = [_change(row) for row in rows]
    return [one for one in found if at is None or one.since <= at]


def _change(row: Sequence[Any]) -> Change:
    micros, event_id, event_type, status, *values = row
    state = State(status=Status(status), **dict(zip(_STATE, values, strict=True)))
    return Change(_EPOCH + timedelta(microseconds=micros), event_id, event_type, state)


def difference(told: Sequence[Change], lines: Sequence[Line]) -> str | None:
    """The first state in which gold and a replay differ, in words; None if they agree."""
    replayed = [Change(line.happened, line.event_id, line.event_type, line.state) for line in lines if line.changes]
    for number, (one, other) in enumerate(zip_longest(told, replayed), 1):
        if one != other:
            return f"change {number} is {_said(one)} in gold, and {_said(other)} in the replay"
    return None


def _said(change: Change | None) -> str:
    if change is None:
        return "missing"
    own = change.state
    return f"{own.status.value} with {own.paid_cents} cents paid by {change.event_type} {change.event_id}"
