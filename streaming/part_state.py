"""The in-memory state of a view by part or by window: the events that open rows may still need, and the open rows.

Data flow: new on-time events -> all events of the parts that they touch -> rows that are new, changed, final or gone
Run: pytest tests/streaming/test_view_state.py

A part is a value of the law's column (ByPart), or a window of event time (ByWindow), to which an event may belong several times.
An event of a changelog belongs to the parts with an event that looks it up.
"""

from collections.abc import Iterator
from datetime import timedelta

import pyarrow as pa
import pyarrow.compute as pc

from streaming import changelog
from streaming.contracts import CONTRACTS
from streaming.view_state import CLOSES, REMOVED, alike, is_final, joined, of_topics, on_time
from streaming.views.law import ByPart, ByWindow
from streaming.views.view import View

TIDY_US = 60_000_000
"""Event time in microseconds between two removals of events that are no longer needed."""


class Parts:
    """The state of a ByPart or ByWindow view."""

    def __init__(self, view: View, law: ByPart | ByWindow, columns: tuple[str, ...]) -> None:
        self._view, self._law, self._columns = view, law, columns
        self._events: pa.Table | None = None
        self._changes: pa.Table | None = None
        self._open: pa.Table | None = None
        self._touched = pa.array([], pa.string())
        self._watermark: pa.Scalar | None = None
        self._tidied: pa.Scalar | None = None

    def restore(self, events: pa.Table, rows: pa.Table) -> None:
        """Keep the events of the view's inputs, and the rows that are still open: these events are all that they need."""
        self._events, self._changes = self._divided(events)
        self._open = rows

    def to_define(self, new: pa.Table, watermark: pa.Scalar | None, next_watermark: pa.Scalar | None) -> pa.Table:
        """All events of the parts that new events touch, and of the parts with a row that becomes final."""
        fresh, fresh_changes = self._divided(new)
        self._tidy(watermark)
        self._watermark = watermark
        self._events = joined(fresh.slice(0, 0) if self._events is None else self._events, fresh)
        self._changes = joined(fresh.slice(0, 0) if self._changes is None else self._changes, fresh_changes)
        touched = self._names(fresh)
        if fresh_changes.num_rows:
            touched += self._names(self._events.filter(changelog.changed(self._view, self._events, fresh_changes)))
        if self._open is not None:
            due = self._open.filter(is_final(self._open, next_watermark))
            touched += self._of_rows(due).to_pylist()
        self._touched = pa.array(sorted(set(touched)), pa.string())
        mine = pa.chunked_array([pa.repeat(False, self._events.num_rows)])
        for parts in self._parts(self._events):
            mine = pc.or_(mine, pc.is_in(parts, value_set=self._touched))
        own = self._events.filter(mine)
        if not self._view.changelogs or not own.num_rows:
            return own
        return pa.concat_tables([own, changelog.looked_up(self._view, own, self._changes)])

    def to_write(self, defined: pa.Table, next_watermark: pa.Scalar | None) -> pa.Table:
        """Rows of the touched parts that are new, have changed or became final; and those that are gone, as removed.

        Rows that the watermark had closed before are left out: they are as they were, and some of their events are gone.
        """
        rows = defined.filter(pc.is_in(self._of_rows(defined), value_set=self._touched))
        if self._watermark is not None:
            rows = rows.filter(pc.greater_equal(rows[CLOSES], self._watermark))
        before = alike(self._open, rows)
        own = pc.is_in(self._of_rows(before), value_set=self._touched)
        others, mine = before.filter(pc.invert(own)), before.filter(own)
        final = is_final(rows, next_watermark)
        same = pc.is_in(_texts(rows, rows.column_names), value_set=_texts(mine, rows.column_names))
        self._open = joined(others, rows.filter(pc.invert(final)))
        key = ["day", *self._view.key]
        gone = mine.filter(pc.invert(pc.is_in(_texts(mine, key), value_set=_texts(rows, key))))
        changed = rows.append_column("is_final", final).filter(pc.or_(final, pc.invert(same)))
        removed = gone.append_column("is_final", pa.repeat(False, gone.num_rows))
        return pa.concat_tables([_flagged(changed, removed=False), _flagged(removed, removed=True)])

    def held(self) -> tuple[pa.Table, ...]:
        """The events that open rows may need, those of changelogs, and the open rows."""
        return tuple(table for table in (self._events, self._changes, self._open) if table is not None)

    def _divided(self, events: pa.Table) -> tuple[pa.Table, pa.Table]:
        """The view's events: the on-time ones of streams, and all of changelogs."""
        changes = of_topics(events, tuple(self._view.changelogs)).select(self._columns)
        return on_time(of_topics(events, self._view.streams)).select(self._columns), changes

    def _tidy(self, watermark: pa.Scalar | None) -> None:
        """Drop events that no open row can need; done once per minute of event time, because it scans all events."""
        if watermark is None or self._events is None:
            return
        if self._tidied is not None and watermark.value - self._tidied.value < TIDY_US:
            return
        self._tidied = watermark
        span = self._view.reach + self._view.lookback
        oldest = pc.subtract(watermark, pa.scalar(span, pa.duration("us")))
        self._events = self._events.filter(pc.greater_equal(self._events["event_time"], oldest))
        self._changes = changelog.shortened(self._changes, oldest, tuple(self._view.changelogs))

    def _names(self, events: pa.Table) -> list[str]:
        """The names of the parts of streams' events."""
        return [part for parts in self._parts(events) for part in pc.unique(parts).to_pylist()]

    def _parts(self, events: pa.Table) -> Iterator[pa.ChunkedArray]:
        """The parts of streams' events as texts, one array for the first part of each event, one for the second, and so on."""
        if isinstance(self._law, ByPart):
            columns = [events[CONTRACTS[topic].column] for topic in self._view.streams]
            yield pc.coalesce(*[pc.struct_field(own, self._law.column) for own in columns])
            return
        at = events["event_time"]
        first = _number(at, self._law.size)
        last = _number(pc.add(at, pa.scalar(self._law.lookback, pa.duration("us"))), self._law.size)
        for further in range(-(-self._law.lookback // self._law.size) + 1):
            yield pc.min_element_wise(pc.add(first, further), last).cast(pa.string())

    def _of_rows(self, rows: pa.Table) -> pa.ChunkedArray:
        if isinstance(self._law, ByPart):
            return rows[self._law.column]
        return _number(rows[self._view.time], self._law.size).cast(pa.string())


def _number(times: pa.ChunkedArray, size: timedelta) -> pa.ChunkedArray:
    """The number of the window of `size` that each time is in, counted from 1970."""
    micros, width = times.cast(pa.timestamp("us", "UTC")).cast(pa.int64()), size // timedelta(microseconds=1)
    whole = pc.divide(micros, width)
    # Arrow divides towards zero, and times before 1970 are negative.
    return pc.if_else(pc.less(micros, pc.multiply(whole, width)), pc.subtract(whole, 1), whole)


def _texts(rows: pa.Table, names: list[str]) -> pa.Array:
    """Each row's values as one text, to compare rows by; a null is not an empty text."""
    values = [rows[name] for name in names]
    plain = [one.cast(pa.int64()) if pa.types.is_timestamp(one.type) else one for one in values]
    texts = [one.cast(pa.string()) for one in plain]
    return pc.binary_join_element_wise(
        *texts, "\x1f", null_handling="replace", null_replacement="\x00"
    ).combine_chunks()


def _flagged(rows: pa.Table, removed: bool) -> pa.Table:
    return rows.append_column(REMOVED, pa.repeat(removed, rows.num_rows))
