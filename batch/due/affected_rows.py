"""Of views whose rows stay open for days: the settled days of which newer records can change a row.

Data flow: truth/<view> (parts, and when their rows close), the archive's newer records -> (day, view)
Run: pytest tests/batch/test_touched.py

By a row's `closes`, an event that is later than it changes nothing. So of the newer records only those are decoded that are early
enough for a row, and, where the part is Kafka's key, that have the key of one. All days are asked at once: each has its rows, but
the records are the same.
"""

from collections.abc import Collection, Iterator, Mapping
from datetime import date

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from batch.archive.archived import newer
from batch.truth.parts import PART, of_streams, value_of
from batch.truth.reach import is_by_key, with_keys
from batch.truth.recompute import TRUTH, truth_table
from infra.kafka.places import At
from infra.lake import spark_tables
from infra.lake.at_once import united
from infra.lake.materialize import materialized, released
from streaming.state.changelog import key_of
from streaming.tables.bronze import RECORD
from streaming.validation.validate import validate
from streaming.views.law import ByPart
from streaming.views.view import View

CLOSES = "_closes"


def touched_rows(
    session: SparkSession, views: Collection[View], days: Collection[date], ends: Mapping[At, int]
) -> dict[date, set[str]]:
    """Per day the views of which records at or behind `ends`, of other days than it, can change a row. All are ByPart."""
    rows = {view.name: _rows(session, view, days) for view in views}
    last = _last(rows)
    with_rows = [view for view in views if view.name in last]
    kept = [materialized(_records(session, view, rows[view.name], ends, last[view.name])) for view in with_rows]
    try:
        hits = [
            hit.select(F.lit(view.name).alias("view"), "day")
            for view, records in zip(with_rows, kept, strict=True)
            for hit in _hits(session, view, rows[view.name], records, days)
        ]
        found = dict[date, set[str]]()
        for row in united(hits).distinct().collect() if hits else ():
            found.setdefault(row["day"], set()).add(row["view"])
        return found
    finally:
        for records in kept:
            released(records)


def _rows(session: SparkSession, view: View, days: Collection[date]) -> DataFrame:
    """Of the view's truth of some days: day, PART, CLOSES."""
    assert isinstance(view.law, ByPart)
    own = spark_tables.read(session, truth_table(view)).where(F.col("day").isin(list(days)))
    return own.select("day", F.col(view.law.column).alias(PART), view.closed_at().alias(CLOSES))


def _last(rows: Mapping[str, DataFrame]) -> dict[str, object]:
    """Per view with rows, when the last of them closes."""
    each = [
        own.agg(F.max(CLOSES).alias("last")).select(F.lit(name).alias("view"), "last") for name, own in rows.items()
    ]
    return {row["view"]: row["last"] for row in united(each).collect() if row["last"] is not None} if each else {}


def _records(session: SparkSession, view: View, rows: DataFrame, ends: Mapping[At, int], last: object) -> DataFrame:
    """The valid newer events that are early enough for a row, and may be of its part."""
    found = newer(session, ends).where(F.col("topic").isin(*view.inputs) & (F.col("event_time") <= F.lit(last)))
    keyed = [topic for topic in view.streams if is_by_key(view, topic)]
    if keyed:
        is_keyed, keys = F.col("topic").isin(*keyed), rows.select(F.col(PART).alias("key")).distinct()
        found = with_keys(found.where(is_keyed), keys).unionByName(found.where(~is_keyed))
    return validate(found.select(*RECORD.fieldNames())).where(F.size("reasons") == 0)


def _hits(
    session: SparkSession, view: View, rows: DataFrame, events: DataFrame, days: Collection[date]
) -> Iterator[DataFrame]:
    """Days (with repetitions) of rows that the events can change, as frames of `day`."""
    assert isinstance(view.law, ByPart)
    reaches = F.col("event_time") >= F.to_timestamp("day") - F.lit(view.lookback)
    own = of_streams(view, events).select(view.law.of_event(view.streams)[0].alias(PART), "event_time")
    yield _early(own.join(rows, PART).where(reaches)).select("day")
    for topic, column in view.changelogs.items():
        assert column is not None
        changes = events.where(F.col("topic") == topic).select(key_of((topic,)).alias("_value"), "event_time")
        streams = of_streams(view, spark_tables.read(session, TRUTH).where(F.col("day").isin(list(days))))
        part = view.law.of_event(view.streams)[0].alias(PART)
        looks = streams.select("day", part, value_of(view, column).alias("_value")).distinct()
        yield _early(changes.join(looks, "_value").join(rows, ["day", PART])).select("day")


def _early(pairs: DataFrame) -> DataFrame:
    """Of pairs of an event and a row, those of which the event is not of the row's day, and not later than its closing."""
    other_day: Column = F.to_date("event_time") != F.col("day")
    return pairs.where(other_day & (F.col("event_time") <= F.col(CLOSES)))
