"""What a view is: one pure function of events, how to read its rows, and by which law the stream keeps it current.

Data flow: events per topic -> View -> candidate rows -> the answer, one row per key and day
Run: pytest tests/streaming/test_views.py
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.types import IntegralType, StructField, StructType, TimestampType

from infra.field_types import check_fields
from infra.lake.columns import column, struct
from streaming.views.as_of import KNOWN_AT
from streaming.views.law import APART, Additive, ByPart, Law

Events = Mapping[str, DataFrame]
"""Events of each input topic, by topic, as `silver.topic_events` gives them."""

OF_LAYERS = ("day", "is_final", "is_removed", "as_of", "batch_id", "generation", "definition", "run", APART)
OF_GOLD = ("status", "revision", "revisions", "cause", "valid_from", "valid_to", "expected_completeness", "closes_at")
"""Names of columns that the layers and gold add; a view must not use them."""
IN_QUERIES = (
    "answer",
    "corrected_at",
    "fault",
    "first",
    "has_closed",
    "horizon",
    "key",
    "layer",
    "old",
    "side",
    "spans",
    "truth",
    "view",
    "was_final",
)
"""Names that gold's queries give to columns beside a view's own; a view must not use them either."""


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
    may have a name of OF_LAYERS, OF_GOLD or IN_QUERIES."""
    key: tuple[str, ...]
    time: str
    """The column that puts a row on its UTC day."""
    closes: str
    """When the row can no longer appear or change, in SQL over its columns: once the watermark has passed it, the row is
    final in the stream."""
    reach: timedelta
    """How far after a row's `time` its inputs may lie. More than LONG_REACHES: its rows stay open for days. Then, of a view by
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
        if not (self.name.isascii() and self.name.isidentifier()):
            raise ValueError(f"view {self.name}: a name has letters, digits and _, and begins with no digit")
        if not self.inputs or not self.key:
            raise ValueError(f"view {self.name}: it has at least one input, and one column as its key")
        names = [one.name for one in self.columns]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"view {self.name}: two columns have the name {twice[0]}")
        if taken := sorted({*OF_LAYERS, *OF_GOLD, *IN_QUERIES}.intersection(names)):
            raise ValueError(f"view {self.name}: the column names {', '.join(taken)} are reserved: choose other names")
        summed = {*self.measures, *(self.law.sums if isinstance(self.law, Additive) else ())}
        spoken = {*self.key, self.time, *summed, *self.prefer, *self.while_open}
        if isinstance(self.law, Additive):
            spoken |= {*self.law.shares, *sum(self.law.shares.values(), ())}
        if isinstance(self.law, ByPart):
            spoken |= {self.law.column}
        if missing := sorted(spoken.difference(names)):
            raise ValueError(f"view {self.name}: {', '.join(missing)} is not among its columns")
        kinds = {one.name: one.dataType for one in self.columns}
        if not isinstance(kinds[self.time], TimestampType):
            raise ValueError(f"view {self.name}: {self.time} is its rows' time and is no timestamp")
        if broken := sorted(name for name in summed if not isinstance(kinds[name], IntegralType)):
            raise ValueError(
                f"view {self.name}: {', '.join(broken)} is summed and is no whole number: a sum of others depends on the "
                "order, in which the layers differ; use thousandths, cents, ..."
            )
        if self.changelogs and (isinstance(self.law, Additive) or not {*self.changelogs} <= {*self.inputs[1:]}):
            raise ValueError(
                f"view {self.name}: changelogs are among its inputs behind the first, and it is not Additive"
            )
        if None in self.changelogs.values() and isinstance(self.law, ByPart):
            raise ValueError(f"view {self.name}: a view that looks at all keys of a changelog is ByWindow")
        if self.pause and not (isinstance(self.law, ByPart) and self.stays_open):
            raise ValueError(f"view {self.name}: a pause is told of a view by part whose rows stay open for days")
        if min(self.reach, self.pause, self.overlap) < timedelta(0):
            raise ValueError(f"view {self.name}: reach, pause and overlap are not below 0")
        if not timedelta(0) <= self.lookback < ONE_DAY:
            raise ValueError(f"view {self.name}: a lookback of {self.lookback} is not between 0 and a day")

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
