"""Which records around a day its rows need: all of the hours after it, and of the days after those the day's own keys.

Data flow: views, a day -> conditions on the archive's and silver's columns, the keys of the day
Run: pytest tests/batch/test_reach.py

An event may be answered on the third day. Where the view is by the key that Kafka has of both topics, only records with a key of
the day are read of the days after. A topic that some view needs by another column is read whole, as far as that
view reaches.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property, reduce

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from batch.archive.archived import archived_on, days_of_records
from batch.days.day import Day
from batch.truth.history import is_history
from infra.lake import arrow_tables, spark_tables
from infra.lake.at_once import united
from streaming.contracts import CONTRACTS
from streaming.tables.silver import SILVER
from streaming.views import LOOKBACK, VIEWS
from streaming.views.law import ByPart
from streaming.views.view import View

NOTHING = timedelta(0)
ONE = timedelta(days=1)


@dataclass(frozen=True)
class Reach:
    """What some views need; `whole`: and every record of the day itself, of any topic; `beside`: none of the day itself."""

    views: tuple[View, ...]
    whole: bool = True
    beside: bool = False

    @property
    def topics(self) -> frozenset[str] | None:
        """The topics that are read; None: all."""
        return None if self.whole else frozenset(topic for view in self.views for topic in view.inputs)

    @cached_property
    def after(self) -> dict[str, timedelta]:
        """Per topic of the views, how long after the day records of any key are needed."""
        return self._longest(False)

    @cached_property
    def of_keys(self) -> dict[str, timedelta]:
        """Per topic of which it is longer, how long after the day records of the day's keys are needed."""
        return {topic: span for topic, span in self._longest(True).items() if span > self.after[topic]}

    def days(self, day: Day) -> set[date]:
        """The days that hold what is needed, the day itself among them."""
        longest = max([*self.after.values(), *self.of_keys.values(), NOTHING])
        last = (day.end + longest - timedelta(microseconds=1)).date()
        first = (day.start - LOOKBACK).date()
        return {first + n * ONE for n in range((last - first).days + 1)}

    def near(self, day: Day, time: Column) -> Column:
        """Over `topic`, event_time and a time: is it of the day, of LOOKBACK before it, or of the time after it that is needed
        whole? Or of a changelog before, of which the last of a key may be of any age?"""
        around = (time >= F.lit(day.start - LOOKBACK)) & self._until(day, time, self.after, whole=self.whole)
        if self.beside:
            around = around & ((time < F.lit(day.start)) | (time >= F.lit(day.end)))
        found = around | is_history(day.start - LOOKBACK)
        return found if self.topics is None else found & F.col("topic").isin(*self.topics)

    def far(self, day: Day, time: Column) -> Column:
        """Over `topic` and a time, of records that are not `near`: is it needed if it has a key of the day?"""
        return (time >= F.lit(day.end)) & self._until(day, time, self.of_keys, whole=False)

    def _has_far(self, day: Day) -> bool:
        """Has the archive days of which only the day's keys are needed?"""
        if not self.of_keys:
            return False
        first = day.end + min(self.after[topic] for topic in self.of_keys)
        return any(first.date() <= known <= max(self.days(day)) for known in days_of_records())

    def _keys(self, session: SparkSession, day: Day) -> DataFrame:
        """Kafka's keys of the day's records, as texts, in the archive or in silver: one may lack what the other has."""
        own = F.col("topic").isin(*self.of_keys) & (F.col("day") == F.lit(day.date))
        layers = [archived_on(session, [day.date])]
        if arrow_tables.exists(SILVER):
            layers.append(spark_tables.read(session, SILVER))
        keys = united([rows.where(own).select(F.col("key").cast("string").alias("key")) for rows in layers])
        return keys.where(F.col("key").isNotNull()).distinct()

    def of_keys_of(self, session: SparkSession, day: Day, rows: DataFrame, time: Column) -> DataFrame | None:
        """Of rows that are not near, those that are needed because they have a key of the day; None: there are none."""
        if not self._has_far(day):
            return None
        return with_keys(rows.where(self.far(day, time)), self._keys(session, day))

    def _longest(self, by_key: bool) -> dict[str, timedelta]:
        found = dict[str, timedelta]()
        for view in self.views:
            for topic in view.inputs:
                own = view.reach if is_by_key(view, topic) == by_key else NOTHING
                found[topic] = max(found.get(topic, NOTHING), own)
        return found

    @staticmethod
    def _until(day: Day, time: Column, spans: dict[str, timedelta], whole: bool) -> Column:
        """The time is before the end of its topic's span; `whole`: of topics without one before the day's end."""
        each = [
            F.col("topic").isin(*topics) & (time < F.lit(day.end + span)) for span, topics in _by_span(spans.items())
        ]
        if whole:
            each.append(~F.col("topic").isin(*spans) & (time < F.lit(day.end)))
        return reduce(lambda one, other: one | other, each, F.lit(False))


def reach(names: Collection[str] | None = None) -> Reach:
    """Of the views of these names; None: of all, with the whole day."""
    return Reach(tuple(view for name, view in VIEWS.items() if names is None or name in names), names is None)


def days_after(views: Iterable[View]) -> dict[str, int]:
    """Per topic of some views, so many days after a day a record of it may lie that they need for the day."""
    found = dict[str, int]()
    for view in views:
        for topic in view.inputs:
            found[topic] = max(found.get(topic, 0), view.reach.days + 1)
    return found


def with_keys(rows: DataFrame, keys: DataFrame) -> DataFrame:
    """The rows whose Kafka key, as a text, is in the column `key` of `keys`."""
    own = rows.withColumn("_key", F.col("key").cast("string"))
    return own.join(keys.withColumnRenamed("key", "_key"), "_key", "left_semi").drop("_key")


def is_by_key(view: View, topic: str) -> bool:
    """Is the part of a topic's event Kafka's key, so that no record of another key can change a row?"""
    contract = CONTRACTS[topic]
    is_plain = contract.captured is None and topic in view.streams
    return is_plain and isinstance(view.law, ByPart) and contract.key == view.law.column and view.stays_open


def _by_span(spans: Iterable[tuple[str, timedelta]]) -> Iterator[tuple[timedelta, list[str]]]:
    found = dict[timedelta, list[str]]()
    for topic, span in spans:
        found.setdefault(span, []).append(topic)
    yield from sorted(found.items())
