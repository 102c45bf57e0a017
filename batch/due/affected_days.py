"""Which settled days newer records touch: the days of which they can change an event, or a row of a view; and which views.

Data flow: the archive's records behind each settlement's offsets -> per day its events, and by the views' laws some views
Run: pytest tests/batch/test_touched.py

A record touches its own day. A record of the hour after a day touches that day only if it can change a row of it: an answer after
midnight touches the day before if its key asked then. So does a record of the minutes before it (LOOKBACK): an event just before
midnight counts in the five minutes up to the next. And a change of a changelog touches every later day on which something
looks it up. Of views whose rows stay open for days, all days with such rows are asked at once (batch/due/affected_rows).
Without this, every night would redo three days. A view that no record can change is not computed again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from batch.archive.archived import in_files, newer
from batch.days.day import Day
from batch.days.day_plan import Redo
from batch.due.affected_rows import touched_rows
from batch.truth.history import is_history, needed
from batch.truth.parts import PART, of_streams, with_parts
from batch.truth.reach import days_after
from batch.truth.recompute import TRUTH, inputs
from infra.kafka.places import At, Ends
from infra.lake import spark_tables
from infra.lake.at_once import united
from infra.lake.materialize import materialized, released
from infra.lake.rows import from_arrow
from infra.lake.writes import few
from streaming.tables.bronze import RECORD, WEIGHT
from streaming.validation.validate import validate
from streaming.views import CHANGELOGS, LOOKBACK, VIEWS
from streaming.views.law import Additive, ByPart
from streaming.views.view import View


@dataclass
class _Newest:
    """The last offsets of newer records, per day of the archive and partition: of all, of those in its first hours, of those in
    its last LOOKBACK, and of those of changelogs."""

    of_day: dict[date, Ends]
    of_rest: dict[date, Ends]
    of_tail: dict[date, Ends]
    of_changelogs: dict[date, Ends]


class Touched:
    """The days that records behind given offsets touch; one scan of the newer records finds most of it."""

    def __init__(self, session: SparkSession, read_to: Mapping[date, Ends]) -> None:
        """`read_to`: per settled day the archive's end (one past the last offset) up to which its truth is known to hold."""
        self._session = session
        self._read_to = read_to
        self._newest: _Newest | None = None
        self._rows = dict[frozenset[tuple[At, int]], dict[date, set[str]]]()
        self._long = [view for view in VIEWS.values() if view.stays_open and isinstance(view.law, ByPart)]
        """Views by part whose rows stay open for days; `_short` are the others."""
        self._short = [view for view in VIEWS.values() if view not in self._long]
        self._reach = max([view.reach for view in self._short], default=timedelta(0))
        """How far after the end of a day these need events."""
        self._days_after = days_after(self._long)
        self.untouched: set[date] = set()
        """Days that newer records could have touched, and do not: their truth holds up to the archive's present end."""

    def redo(self, day: date) -> Redo:
        """What must be done again of the settled day; nothing, if no newer record can change it."""
        if self._newest is None:
            self._newest = self._found()
        ends, changed = self._read_to[day], frozenset[str]()
        own = _behind(self._newest.of_day.get(day), ends)
        whole = self._reach.days
        around = [self._newest.of_day.get(day + timedelta(days=n)) for n in range(1, whole + 1)]
        around.append(self._newest.of_rest.get(day + timedelta(days=whole + 1)))
        around.append(self._newest.of_tail.get(day - timedelta(days=1)))
        around += [changes for older, changes in self._newest.of_changelogs.items() if older < day]
        is_near = any(_behind(found, ends) for found in around)
        is_far = self._is_far(day, ends)
        if is_near:
            changed = self._changed(Day(day), ends)
        if is_near or is_far:
            changed |= self._of_open_rows(day, ends)
            if not (own or changed):
                self.untouched.add(day)
        return Redo(changed, own)

    def _is_far(self, day: date, ends: Ends) -> bool:
        """Are there newer records of days around it of which `_long` may need them?"""
        assert self._newest
        for n in (-1, *range(1, max(self._days_after.values(), default=-1) + 1)):
            near = _behind(self._newest.of_day.get(day + timedelta(days=n)), ends)
            if any(n <= self._days_after.get(topic, -2) for topic in near):
                return True
        return False

    def _of_open_rows(self, day: date, ends: Ends) -> frozenset[str]:
        """The views of `_long` of which newer records can change a row of the day; found for all days with these ends at once."""
        same = frozenset(ends.items())
        if same not in self._rows:
            days = [one for one, own in self._read_to.items() if frozenset(own.items()) == same]
            self._rows[same] = touched_rows(self._session, self._long, days, ends)
        return frozenset(self._rows[same].get(day, ()))

    def _found(self) -> _Newest:
        early = F.col("event_time") < F.to_timestamp("day") + F.lit(self._reach % timedelta(days=1))
        final = F.col("event_time") >= F.to_timestamp("day") + F.lit(timedelta(days=1) - LOOKBACK)
        rows = (
            in_files(self._session, self._may_touch)
            .groupBy("day", "topic", "partition")
            .agg(
                F.max("offset").alias("last"),
                F.max(F.when(early, F.col("offset"))).alias("last_early"),
                F.max(F.when(final, F.col("offset"))).alias("last_final"),
            )
            .collect()
        )
        newest = _Newest({}, {}, {}, {})
        for row in rows:
            at = row["topic"], row["partition"]
            newest.of_day.setdefault(row["day"], {})[at] = row["last"]
            if row["topic"] in CHANGELOGS:
                newest.of_changelogs.setdefault(row["day"], {})[at] = row["last"]
            if row["last_early"] is not None:
                newest.of_rest.setdefault(row["day"], {})[at] = row["last_early"]
            if row["last_final"] is not None:
                newest.of_tail.setdefault(row["day"], {})[at] = row["last_final"]
        return newest

    def _may_touch(self, day: date, at: At, last: int) -> bool:
        """May a file of this day, with this last offset, touch the day itself, one before it, or the next? Of a changelog, any
        later one?"""
        if at[0] in CHANGELOGS and any(
            day < known and last >= ends.get(at, 0) for known, ends in self._read_to.items()
        ):
            return True
        days = (
            day - timedelta(days=n) for n in range(-1, max(self._reach.days + 1, self._days_after.get(at[0], 0)) + 1)
        )
        return any(known in self._read_to and last >= self._read_to[known].get(at, 0) for known in days)

    def _changed(self, day: Day, ends: Ends) -> frozenset[str]:
        """The views of `_short` of which records around the day can change a row of it. Of too many it is assumed."""
        near = day.around(LOOKBACK, self._reach).holds("event_time") | is_history(day.start)
        around = near & (F.col("day") != F.lit(day.date))
        found = few(newer(self._session, ends).where(around).select(*RECORD.fieldNames()), WEIGHT)
        if isinstance(found, DataFrame):
            return frozenset(view.name for view in self._short)
        valid = materialized(validate(from_arrow(self._session, found, RECORD)).where(F.size("reasons") == 0))
        try:
            events = valid.withColumn("day", F.to_date("event_time"))
            of_day = spark_tables.of_day(self._session, TRUTH, day.date)
            changed = [
                changing(view, day, events, of_day).select(F.lit(view.name).alias("view")).limit(1)
                for view in self._short
            ]
            return frozenset(row["view"] for row in united(changed).collect())
        finally:
            released(valid)


def changing(view: View, day: Day, events: DataFrame, of_day: DataFrame) -> DataFrame:
    """Rows or parts of the view that `events` around the day can change on the day, by the view's law; empty if none.

    `of_day`: truth's events of the day. Both frames have the columns of EVENT that a view needs.
    """
    own = events.where(needed(view, day.around(view.lookback, view.reach)))
    if isinstance(view.law, Additive):
        return view.rows(inputs(view, own)).where(F.col("day") == F.lit(day.date)).select(*view.key)
    part = F.explode(view.law.of_event(view.streams)).alias(PART)
    known = of_streams(view, of_day).select(part)
    return with_parts(view, view.law, own, of_day).select(PART).join(known, PART, "left_semi")


def _behind(last: Ends | None, ends: Mapping[At, int]) -> frozenset[str]:
    """The topics of which a last offset is at or behind its partition's end."""
    return frozenset(at[0] for at, offset in (last or {}).items() if offset >= ends.get(at, 0))
