"""The in-memory state of one view, by its law: what new events make it recompute, and which rows change.

Data flow: new on-time events -> events to run `define` on -> its rows -> rows to write, each with `is_final`
Run: pytest tests/streaming/test_view_state.py

The state holds what the watermark has not closed: open rows of Additive views, and the events of ByPart views within
the view's reach. Nothing here needs Spark; update_views.py runs `define` for all views in one job.
"""

from typing import Protocol

import pyarrow as pa
import pyarrow.compute as pc

from streaming.views.view import Additive, ByPart, View

CLOSES = "_closes"
"""Column of computed rows: the time after which the row can no longer change."""
PART = "_part"
TIDY_US = 60_000_000
"""Event time in microseconds between two removals of events that are no longer needed."""
PIECES = 64
OF_EVENT = ("topic", "event_id", "event_type", "event_time")


class Current(Protocol):
    """The state of a view, by its law. Times are timestamps in UTC; a `next_watermark` of None is before all events."""

    def restore(self, events: pa.Table, rows: pa.Table, next_watermark: pa.Scalar) -> None:
        """Start from the on-time events within the view's reach of the watermark, and the rows computed from them."""

    def to_define(self, new: pa.Table, watermark: pa.Scalar | None, next_watermark: pa.Scalar | None) -> pa.Table:
        """The events from which rows must be computed after the `new` ones; empty if nothing changes."""

    def to_write(self, defined: pa.Table, next_watermark: pa.Scalar | None) -> pa.Table:
        """The rows to write, given `defined` (computed from `to_define`): changed rows and rows that became final."""


def current(view: View) -> Current:
    """The state of a view, by its law."""
    own = (*OF_EVENT, *view.inputs)
    if isinstance(view.law, Additive):
        return Sums(view, view.law, own)
    return Parts(view, view.law, own)


class Sums:
    """The state of an Additive view: its open rows, to which new rows are added."""

    def __init__(self, view: View, law: Additive, columns: tuple[str, ...]) -> None:
        self._view, self._law, self._columns = view, law, columns
        self._open: pa.Table | None = None

    def restore(self, events: pa.Table, rows: pa.Table, next_watermark: pa.Scalar) -> None:
        """Keep the rows that are still open; they are complete, because they began within the view's reach."""
        self._open = rows.filter(pc.greater_equal(rows[CLOSES], next_watermark))

    def to_define(self, new: pa.Table, watermark: pa.Scalar | None, next_watermark: pa.Scalar | None) -> pa.Table:
        """Only the new events of the view's inputs."""
        return of_topics(new, self._view.inputs).select(self._columns)

    def to_write(self, defined: pa.Table, next_watermark: pa.Scalar | None) -> pa.Table:
        """The open rows that new events changed, and those that the watermark closed."""
        before = self._open if self._open is not None else defined.slice(0, 0)
        rows = self._added(before, defined)
        final = is_final(rows, next_watermark)
        changed = pc.or_(rows["_new"], final)
        rows = rows.drop_columns(["_new"])
        self._open = rows.filter(pc.invert(final))
        return rows.append_column("is_final", final).filter(changed)

    def _added(self, before: pa.Table, defined: pa.Table) -> pa.Table:
        both = pa.concat_tables(
            [
                before.append_column("_new", pa.repeat(False, before.num_rows)),
                defined.append_column("_new", pa.repeat(True, defined.num_rows)),
            ]
        )
        keys = ["day", *self._view.key]
        rest = [name for name in both.column_names if name not in keys]
        how = [(name, "sum" if name in self._law.sums else "max") for name in rest]
        added = both.group_by(keys, use_threads=False).aggregate(how)
        added = added.rename_columns([*keys, *rest] if added.column_names[0] == keys[0] else [*rest, *keys])
        return added.select(both.column_names).cast(both.schema)


class Parts:
    """The state of a ByPart view: the events that open rows may still need, and when each part's rows close."""

    def __init__(self, view: View, law: ByPart, columns: tuple[str, ...]) -> None:
        self._view, self._column, self._columns = view, law.column, columns
        self._events: pa.Table | None = None
        self._due: pa.Table | None = None
        self._tidied: pa.Scalar | None = None

    def restore(self, events: pa.Table, rows: pa.Table, next_watermark: pa.Scalar) -> None:
        """Keep all given events, and the closing times of open rows."""
        self._events = self._with_part(events)
        self._schedule(rows, next_watermark)

    def to_define(self, new: pa.Table, watermark: pa.Scalar | None, next_watermark: pa.Scalar | None) -> pa.Table:
        """All events of the parts that new events touch, and of the parts with a row that becomes final."""
        fresh = self._with_part(of_topics(new, self._view.inputs))
        kept = self._events if self._events is not None else fresh.slice(0, 0)
        self._events = joined(self._without_closed(kept, watermark), fresh)
        touched = fresh[PART].combine_chunks()
        if self._due is not None and next_watermark is not None:
            passed = pc.less(self._due[CLOSES], next_watermark)
            touched = pa.concat_arrays([touched, self._due.filter(passed)[PART].combine_chunks()])
            self._due = self._due.filter(pc.invert(passed))
        mine = pc.is_in(self._events[PART], value_set=pc.unique(touched))
        return self._events.filter(mine).select(self._columns)

    def to_write(self, defined: pa.Table, next_watermark: pa.Scalar | None) -> pa.Table:
        """All rows of the parts that were defined."""
        self._schedule(defined, next_watermark)
        return defined.append_column("is_final", is_final(defined, next_watermark))

    def _without_closed(self, kept: pa.Table, watermark: pa.Scalar | None) -> pa.Table:
        """Without events that no open row can need; done once per minute of event time, because it scans all events."""
        if watermark is None or (self._tidied is not None and watermark.value - self._tidied.value < TIDY_US):
            return kept
        self._tidied = watermark
        oldest = pc.subtract(watermark, pa.scalar(self._view.reach, pa.duration("us")))
        return kept.filter(pc.greater_equal(kept["event_time"], oldest))

    def _schedule(self, rows: pa.Table, next_watermark: pa.Scalar | None) -> None:
        still_open = rows.filter(pc.invert(is_final(rows, next_watermark)))
        due = pa.table({PART: still_open[self._column], CLOSES: still_open[CLOSES]})
        self._due = due if self._due is None else joined(self._due, due)

    def _with_part(self, events: pa.Table) -> pa.Table:
        fields = [pc.struct_field(events[topic], self._column) for topic in self._view.inputs]
        return events.select(self._columns).append_column(PART, pc.coalesce(*fields))


def of_topics(events: pa.Table, topics: tuple[str, ...]) -> pa.Table:
    """The events of some topics."""
    return events.filter(pc.is_in(events["topic"], value_set=pa.array(topics)))


def joined(kept: pa.Table, fresh: pa.Table) -> pa.Table:
    """Both tables as one. The chunks are merged only when there are more than PIECES, not with every micro-batch."""
    both = pa.concat_tables([kept, fresh])
    return both if both[0].num_chunks <= PIECES else both.combine_chunks()


def is_final(rows: pa.Table, next_watermark: pa.Scalar | None) -> pa.ChunkedArray:
    """Which rows no further on-time event can change."""
    if next_watermark is None:
        return pa.chunked_array([pa.repeat(False, rows.num_rows)])
    return pc.less(rows[CLOSES], next_watermark)
