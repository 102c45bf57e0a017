"""Which events a row may need, by what its view declares: inputs, law, lookback and reach, and the key that they share.

Data flow: a view, its row -> a condition over the columns of silver and of truth, and the same in words
Run: pytest tests/batch/explain

What `define` does with them, e.g. that it leaves an event type out, is known to Spark only: these are the events that can count.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import reduce
from operator import or_
from typing import Any

import pyarrow.compute as pc

from batch.explain.key import shown
from batch.explain.reading import MILLISECOND, Bound, Where
from streaming.contracts import CONTRACTS
from streaming.views.law import Additive, ByPart, ByWindow
from streaming.views.view import View

OLDEST_CHANGE = timedelta(days=30)
"""How far before a row changes of a changelog are looked for. What holds for a row may be older; its files are not all read."""
Rows = Sequence[Mapping[str, Any]]
"""Versions of one row, by column."""


@dataclass(frozen=True)
class Needed:
    """The events' condition, and what it says."""

    where: Where
    says: str


def needed(view: View, rows: Rows) -> Needed:
    """The events that any of the versions of a row may need; there is at least one."""
    start, end, is_open = _span(view, [row[view.time].astimezone(UTC) for row in rows])
    at = pc.field("event_time")
    in_span = (at >= start) & (at < end if is_open else at <= end) & _days(start.date(), end.date())
    shared = {topic: _shared(view, topic, rows) for topic in view.streams}
    own = [
        reduce(lambda one, other: one & other, [pc.field("topic") == topic, *_equal(topic, shared[topic])])
        for topic in view.streams
    ]
    where, said = in_span & reduce(or_, own), _said(view.streams, start, end, is_open, shared)
    files: list[list[Bound]] = [
        [*_dates(start.date(), end.date()), ("event_time", ">=", start - MILLISECOND), ("event_time", "<=", end)]
    ]
    for topic, column in view.changelogs.items():
        key = CONTRACTS[topic].key
        values = _values(rows, column or key)
        if values:
            oldest = (start - OLDEST_CHANGE).date()
            old = _days(oldest, end.date()) & (pc.field("topic") == topic) & (at <= end)
            where = where | (old & _equal(topic, {key: values})[0])
            files.append([*_dates(oldest, end.date()), ("topic", "=", topic)])
            said += (
                f"; of {topic} with {key} {_listed(values)}, {OLDEST_CHANGE.days} days back (the view reads older ones)"
            )
    return Needed(Where(where, files), said)


def _span(view: View, times: Sequence[datetime]) -> tuple[datetime, datetime, bool]:
    """From when and until when the events of rows of these times can lie; True: before the end, False: up to it."""
    start, end = min(times) - view.lookback, max(times) + view.reach
    if isinstance(view.law, ByWindow):
        last = _window_end(view.law, max(times))
        return (start, last, True) if last <= end else (start, end, False)
    # Rows that are sums are windows, which are half-open.
    return start, end, isinstance(view.law, Additive) and bool(view.reach)


def _shared(view: View, topic: str, rows: Rows) -> dict[str, list[Any]]:
    """Payload fields that the row's events have in common with it: its part; of sums, the key's columns."""
    fields = CONTRACTS[topic].payload.fieldNames()
    names: Sequence[str] = ()
    if isinstance(view.law, ByPart):
        names = [view.law.column]
    elif isinstance(view.law, Additive):
        names = view.key
    return {name: _values(rows, name) for name in names if name in fields}


def _values(rows: Rows, name: str) -> list[Any]:
    return sorted({row[name] for row in rows if row.get(name) is not None}, key=str)


def _equal(topic: str, shared: Mapping[str, list[Any]]) -> list[pc.Expression]:
    return [pc.field(CONTRACTS[topic].column, name).isin(values) for name, values in shared.items()]


def _days(first: date, last: date) -> pc.Expression:
    return (pc.field("day") >= first) & (pc.field("day") <= last)


def _dates(first: date, last: date) -> list[Bound]:
    """The same of files: the day is the tables' partition. Their bounds of times are cut off at milliseconds."""
    return [("day", ">=", first), ("day", "<=", last)]


def _window_end(law: ByWindow, at: datetime) -> datetime:
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    return at - (at - epoch) % law.size + law.size


def _said(
    topics: Sequence[str], start: datetime, end: datetime, is_open: bool, shared: Mapping[str, Mapping[str, list[Any]]]
) -> str:
    pairs = {f"{name} {_listed(values)}" for own in shared.values() for name, values in own.items()}
    by = f" with {' and '.join(sorted(pairs))}" if pairs else ""
    until = "before" if is_open else "up to"
    return f"of {', '.join(topics)}{by}, that happened from {shown(start)} {until} {shown(end)}"


def _listed(values: Sequence[Any]) -> str:
    return ", ".join(map(str, values))
