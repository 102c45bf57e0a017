"""The state of additive views: their open rows, to which the rows of new events are added. That of the others: state/.

Data flow: rows that `define` gave of new events -> rows to write, each with `is_final`
Run: pytest tests/streaming/test_view_state.py

Open rows are those that the watermark has not closed. Nothing here needs Spark; update_views.py runs `define` for all views.
"""

import pyarrow as pa
import pyarrow.compute as pc

from streaming.views.as_of import KNOWN_AT
from streaming.views.law import Additive
from streaming.views.view import View

CLOSES = "_closes"
"""Column of computed rows: the time after which the row can no longer change."""
REMOVED = "is_removed"
OF_EVENT = ("topic", "event_id", "event_type", "event_time", KNOWN_AT)


class Sums:
    """The state of an Additive view: its open rows, to which new rows are added."""

    def __init__(self, view: View, law: Additive) -> None:
        self._view, self._law = view, law
        self._open: pa.Table | None = None

    def restore(self, rows: pa.Table) -> None:
        """Keep the rows that are still open."""
        self._open = rows

    def to_write(self, defined: pa.Table, next_watermark: pa.Scalar | None) -> pa.Table:
        """The open rows that new events changed (`defined`: with CLOSES), and those that the watermark closed."""
        before = alike(self._open, defined)
        rows = self._added(before, defined)
        final = is_final(rows, next_watermark)
        changed = pc.or_(rows["_new"], final)
        rows = rows.drop_columns(["_new"])
        self._open = rows.filter(pc.invert(final))
        rows = rows.append_column("is_final", final).append_column(REMOVED, pa.repeat(False, rows.num_rows))
        return rows.filter(changed)

    @property
    def opened(self) -> pa.Table | None:
        """The open rows; None before the first."""
        return self._open

    def held(self) -> tuple[int, int]:
        """The open rows, and their bytes."""
        return (0, 0) if self._open is None else (self._open.num_rows, self._open.nbytes)

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
        added = added.select(both.column_names).cast(both.schema)
        for name, (above, below) in self._law.shares.items():
            place = added.schema.get_field_index(name)
            added = added.set_column(place, added.schema.field(place), share(added[above], added[below]))
        return added


def share(above: pa.ChunkedArray, below: pa.ChunkedArray) -> pa.ChunkedArray:
    """One sum divided by another, null where that is 0; the same double as Spark's."""
    nonzero = pc.if_else(pc.equal(below, 0), pa.scalar(None, below.type), below)
    return pc.divide(above.cast(pa.float64()), nonzero.cast(pa.float64()))


def of_topics(events: pa.Table, topics: tuple[str, ...]) -> pa.Table:
    """The events of some topics."""
    return events.filter(pc.is_in(events["topic"], value_set=pa.array(topics, pa.string())))


def on_time(events: pa.Table) -> pa.Table:
    """The events (with KNOWN_AT) that were not late."""
    return events.filter(pc.equal(events[KNOWN_AT], events["event_time"]))


def alike(rows: pa.Table | None, like: pa.Table) -> pa.Table:
    """The rows in the form of others; none if there are none. Spark may know that a column has no null where a table does not."""
    if rows is None:
        return like.slice(0, 0)
    return rows if rows.schema.equals(like.schema) else rows.select(like.column_names).cast(like.schema)


def is_final(rows: pa.Table, next_watermark: pa.Scalar | None) -> pa.ChunkedArray:
    """Which rows no further on-time event can change."""
    if next_watermark is None:
        return pa.chunked_array([pa.repeat(False, rows.num_rows)])
    return pc.less(rows[CLOSES], next_watermark)
