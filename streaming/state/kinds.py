"""Kinds of parts: views of one law share their parts, so an event is kept once for all of them.

Data flow: VIEWS -> Kinds; events -> the part that each is kept with, and the keys of changelogs that it looks up
Run: pytest tests/streaming/test_view_state.py

A part is a value of the law's column (ByPart), or the number of a window of event time from 1970 on (ByWindow).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

import pyarrow as pa
import pyarrow.compute as pc

from streaming.contracts import CONTRACTS
from streaming.views.law import Additive, ByPart, ByWindow
from streaming.views.view import View

ALL = "*"
"""The part of all changes of a changelog of which a view looks at all keys."""
BETWEEN = "\x1f"


@dataclass(frozen=True)
class Kind:
    """The parts of one law, and the views whose rows they have."""

    law: ByPart | ByWindow
    views: tuple[View, ...]

    @property
    def streams(self) -> tuple[str, ...]:
        """The topics whose events it keeps."""
        return tuple(sorted({topic for view in self.views for topic in view.streams}))

    @property
    def span(self) -> timedelta:
        """For how long after its time an event may be needed that no open row needs."""
        return max(view.rest + view.lookback for view in self.views)

    @property
    def changelogs(self) -> tuple[tuple[str, bool], ...]:
        """The changelogs that its views look up: topic, and whether they look at all keys."""
        return tuple(
            sorted({(topic, column is None) for view in self.views for topic, column in view.changelogs.items()})
        )

    def parts(self, events: pa.Table, topic: str) -> pa.ChunkedArray:
        """The part of each event of a topic, as a text."""
        if isinstance(self.law, ByPart):
            return pc.struct_field(events[CONTRACTS[topic].column], self.law.column)
        return number(events["event_time"], self.law.size).cast(pa.string())

    def of_rows(self, view: View, rows: pa.Table) -> pa.ChunkedArray:
        """The part of each row of a view, as a text."""
        if isinstance(self.law, ByPart):
            return rows[self.law.column]
        return number(rows[view.time], self.law.size).cast(pa.string())

    def looked_up(self, events: pa.Table, topic: str, numbers: Sequence[str]) -> pa.ChunkedArray:
        """What each event of a topic looks up: a changelog's place among `numbers` and the key; several each behind BETWEEN; null
        if nothing."""
        found = []
        for name, column in sorted(self._columns(topic)):
            keys = pc.struct_field(events[CONTRACTS[topic].column], column)
            found.append(pc.binary_join_element_wise(str(numbers.index(name)), keys, ":"))
        if not found:
            return pa.chunked_array([pa.nulls(events.num_rows, pa.string())])
        if len(found) == 1:
            return found[0]
        first = pa.repeat("", events.num_rows)
        return pc.binary_join_element_wise(first, *found, BETWEEN, null_handling="skip")

    def _columns(self, topic: str) -> set[tuple[str, str]]:
        """The changelogs that events of a topic look up, each with the column that names the key."""
        fields = CONTRACTS[topic].payload.fieldNames()
        return {
            (name, column)
            for view in self.views
            for name, column in view.changelogs.items()
            if topic in view.streams and column in fields
        }


def kinds(views: Sequence[View]) -> list[Kind]:
    """The kinds of parts of some views; additive ones have none."""
    laws = dict.fromkeys(view.law for view in views if not isinstance(view.law, Additive))
    return [Kind(law, tuple(view for view in views if view.law == law)) for law in laws]


def number(times: pa.ChunkedArray, size: timedelta) -> pa.ChunkedArray:
    """The number of the window of `size` that each time is in, counted from 1970."""
    micros, width = times.cast(pa.timestamp("us", "UTC")).cast(pa.int64()), size // timedelta(microseconds=1)
    whole = pc.divide(micros, width)
    # Arrow divides towards zero, and times before 1970 are negative.
    return pc.if_else(pc.less(micros, pc.multiply(whole, width)), pc.subtract(whole, 1), whole)
