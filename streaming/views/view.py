"""What a view is: one pure function of events, how to read its rows, and by which law the stream keeps it current.

Data flow: events per topic -> View -> candidate rows -> the answer, one row per key and day
Run: pytest tests/streaming/test_views.py
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.types import StructField, StructType

from infra.field_types import check_fields
from infra.lake.columns import column, struct
from streaming.views.as_of import KNOWN_AT
from streaming.views.faults import check_view
from streaming.views.law import APART, Additive, ByPart, Law

Events = Mapping[str, DataFrame]
"""Events of each input topic, by topic, as `silver.topic_events` gives them."""

ONE_DAY = timedelta(days=1)
LONG_REACHES = timedelta(hours=1)
"""A view whose reach is longer has rows that are open for days. A night compares the others' as soon as their day is over."""


@dataclass(frozen=True)
class View:
    """A derived table that both layers compute with the same `define`.

    The first of `inputs` is the driving one: its events create the rows. The others are join partners, which only add
    values to a row; reconciliation counts a late join partner as a cause of its own.
    """

    name: str
    description: str
    inputs: tuple[str, ...]
    define: Callable[[Events], DataFrame]
    """Candidate rows, from a static frame in both layers. May give a key more than once."""
    columns: tuple[StructField, ...]
    """What `define` gives, in its order, each column with its type and what it means (`infra.lake.columns.column`). None
    may have a name that the platform uses beside them (`day`, `status`, `key`, ...): the error says which."""
    key: tuple[str, ...]
    time: str
    """The column that puts a row on its UTC day."""
    closes: str
    """When the row can no longer appear or change, in SQL over its columns: once the watermark has passed it, the row is
    final in the stream."""
    reach: timedelta
    """How far after a row's `time` its inputs may lie. More than an hour: its rows stay open for days. Then, of a view by
    part, there is a row from its first input's event on, and no event that is later than its `closes` changes the part's rows."""
    measures: tuple[str, ...]
    """Additive integer columns, summed in reports."""
    law: Law
    """How the stream updates the view without recomputing it from all events; a property test checks it."""
    lookback: timedelta = timedelta(0)
    """How far before a row's `time` its inputs may lie; less than a day. Not so for `changelogs`."""
    changelogs: Mapping[str, str | None] = field(default_factory=dict)
    """Inputs that are tables: topic -> the column in which the events of the others name the key that they look up; None if
    they look at all keys. A row may need the last event of a key up to its `time`, however old that is. `define` gets it, and
    KNOWN_AT with every event of the changelog."""
    pause: timedelta = timedelta(0)
    """Of a view by part whose rows stay open for days: events of a part on both sides of a longer pause than this have nothing
    to do with each other, and a row's `time` is that of one of its events. So the stream forgets what lies behind a pause. 0:
    there is no such pause."""
    overlap: timedelta = timedelta(0)
    """How far after a day's end an event of the driving input may change a row of the day: of windows that go over midnight."""
    alerts: bool = False
    """Are its new rows alerts? The stream sends each once to the Kafka topic of alerts (streaming/micro_batch/alerts)."""
    prefer: tuple[str, ...] = ()
    """Selects a key's row among several candidates: the first by these columns, ascending, nulls last. Gold uses the
    same order. A further event may only add a better candidate."""
    while_open: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """What gold shows for a row that is not final: column -> (value from `define`, its name until the row closes)."""

    def __post_init__(self) -> None:
        """Raise ValueError if a field is of another type or names no column, a column has a reserved name or stands there twice,
        a row has no time, or what is summed is no whole number."""
        check_fields(self, f"view {self.name}")
        check_view(self)

    @property
    def streams(self) -> tuple[str, ...]:
        """The inputs of which rows need the events near their `time` only: all but the changelogs."""
        return tuple(topic for topic in self.inputs if topic not in self.changelogs)

    @property
    def stays_open(self) -> bool:
        """May rows of it be open for days?"""
        return self.reach > LONG_REACHES

    @property
    def rest(self) -> timedelta:
        """For how long after its time the stream needs an event that no open row needs. Of rows that stay open for days a pause
        says it, or else a day: an answer is the best row of its key and day, so one that is over may outdo another."""
        return (self.pause or min(self.reach, ONE_DAY)) if self.stays_open else self.reach

    @property
    def schema(self) -> StructType:
        """The columns of its rows, with their day."""
        return struct(*self.columns, column("day", "date", f"Day of {self.time} (UTC)"))

    @property
    def values(self) -> tuple[str, ...]:
        """The value columns: what a row says beside its key and day."""
        return tuple(one.name for one in self.columns if one.name not in self.key)

    def more_of(self, topic: str) -> tuple[str, ...]:
        """The columns that events of the topic have beside event_id, event_type, event_time and their payload."""
        return (KNOWN_AT,) if topic in self.changelogs else ()

    def rows(self, events: Events, apart: bool = False) -> DataFrame:
        """Candidate rows with their `day`; `apart`: the events, and so the rows, have the column APART.

        Events of a changelog without KNOWN_AT are known from their event time on. Raises ValueError if `define` loses APART.
        """
        if bare := [topic for topic in self.changelogs if KNOWN_AT not in events[topic].columns]:
            known = {topic: events[topic].withColumn(KNOWN_AT, F.col("event_time")) for topic in bare}
            return self.rows({**events, **known}, apart)
        if isinstance(self.law, ByPart):
            return self._on_day(self.define(events))
        if not apart:
            alike = {topic: found.withColumn(APART, F.lit("")) for topic, found in events.items()}
            return self.rows(alike, apart=True).drop(APART)
        found = self.define(events)
        if APART not in found.columns:
            raise ValueError(f"view {self.name}: `define` loses the column APART: group by it, and select it")
        return self._on_day(found)

    def _on_day(self, rows: DataFrame) -> DataFrame:
        return rows.withColumn("day", F.to_date(self.time))

    def closed_at(self) -> Column:
        """`closes` as a Spark column."""
        return F.expr(self.closes)

    def preference(self) -> tuple[Column, ...]:
        """`prefer` as a Spark sort order."""
        return tuple(F.col(name).asc_nulls_last() for name in self.prefer)

    def answer(self, rows: DataFrame, *latest: Column, apart: Sequence[str] = ()) -> DataFrame:
        """One row per key and day: the preferred candidate; among equals the first in the order of `latest`.

        Rows that differ in a column of `apart` are no candidates for the same row.
        """
        if isinstance(self.law, Additive) and not latest:
            # Its rows are sums: one per key already.
            return rows
        order = (*self.preference(), *latest) or (F.lit(1),)
        best = Window.partitionBy("day", *self.key, *apart).orderBy(*order)
        return rows.withColumn("_place", F.row_number().over(best)).where(F.col("_place") == 1).drop("_place")
