"""The laws of views: how new events change the rows, so that a view is never recomputed from all its events.

Data flow: a view's law -> its state in the stream, the days that a night must redo, the rows after each cause and delay
Run: pytest tests/streaming/test_view_state.py
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from pyspark.sql import Column
from pyspark.sql import functions as F

from infra.field_types import check_fields
from streaming.contracts.contract import column_of

APART = "apart"
"""Column of the frames that a view, unless it is ByPart, defines its rows from, and of these rows: rows and events that differ in
it have nothing to do with each other. The night tells versions of a day apart by it; elsewhere it is the same for all."""


@dataclass(frozen=True)
class Additive:
    """The law of counts and sums: `define(old and new events)` is `define(old)` merged with `define(new)`.

    `define` gives a key once. Rows of one key are merged by adding the columns `sums`. The columns `shares` are a sum divided by
    a sum: name -> (numerator, denominator), null if the denominator is 0. Every other column is the same in both. `define` gets
    and gives the column APART, and groups by it.
    """

    sums: tuple[str, ...]
    shares: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_fields(self, "Additive")

    def share(self, name: str, of: Mapping[str, Column] | None = None) -> Column:
        """A share of a row, from its sums: its columns, or `of`."""
        above, below = ((of or {}).get(one, F.col(one)).cast("double") for one in self.shares[name])
        return F.try_divide(above, below)


@dataclass(frozen=True)
class ByPart:
    """The law of independent parts: the rows of one part follow from that part's events alone.

    `column` names the part: a string that every event of the streams has to have, and a column of the rows. Its value has no
    meaning but to tell parts apart. `define` groups and partitions by it, because the night gives one event to several parts. A
    row's `time` is on the day of one of its part's events. When new events touch a part, the stream defines the part again from
    its events.
    """

    column: str

    def __post_init__(self) -> None:
        check_fields(self, "ByPart")

    def of_event(self, topics: Sequence[str]) -> Column:
        """Over the columns of EVENT: the event's parts, an array of one text."""
        return F.array(F.coalesce(*[F.col(column_of(topic))[self.column] for topic in topics]))

    def of_row(self, time: str) -> Column:
        """The part that a row belongs to."""
        return F.col(self.column)


@dataclass(frozen=True)
class ByWindow:
    """The law of windows of event time: a row follows from the events of its window, and of `lookback` before the window.

    Windows of `size` follow each other from 1970-01-01 00:00 UTC on, and `size` divides a day. A row is in the window of its
    `time`, and no later event changes it. `define` gets and gives the column APART, and groups, joins and partitions by it.
    """

    size: timedelta
    lookback: timedelta = timedelta(0)

    def __post_init__(self) -> None:
        """Raise ValueError for a field of another type, and unless a whole number of windows makes a day."""
        check_fields(self, "ByWindow")
        if self.size <= timedelta(0) or timedelta(days=1) % self.size:
            raise ValueError(f"windows of {self.size} do not divide a day: choose e.g. 1 minute, 5 minutes or 1 hour")

    def number(self, micros: Column) -> Column:
        """The number of the window that a time in microseconds is in, from 1970 on."""
        width = self.size // timedelta(microseconds=1)
        return F.call_function("div", micros - F.pmod(micros, F.lit(width)), F.lit(width))

    def of_event(self, topics: Sequence[str]) -> Column:
        """Over the columns of EVENT: the windows that need the event, as texts."""
        at = F.unix_micros("event_time")
        last = self.number(at + self.lookback // timedelta(microseconds=1))
        return F.sequence(self.number(at), last).cast("array<string>")

    def of_row(self, time: str) -> Column:
        """The window that a row belongs to, as a text."""
        return self.number(F.unix_micros(time)).cast("string")


Law = Additive | ByPart | ByWindow
