"""The changelogs before a day: of what the day's events look up, the last event of each key, however old.

Data flow: archive, silver -> events of changelogs before a time -> with the day's events to every view
Run: pytest tests/bench/oracle/test_changelogs.py

The archive keeps a file per day and partition of the log, so only files of changelogs are read of the days before.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from batch.archive.events import PLACE
from batch.days.day import Span
from batch.truth.parts import value_of
from infra.lake.at_once import united
from infra.lake.materialize import materialized
from streaming.state.changelog import key_of, known_at, last_of_each_key
from streaming.views import CHANGELOGS, VIEWS
from streaming.views.as_of import KNOWN_AT
from streaming.views.view import View


def is_history(start: datetime) -> Column:
    """Over topic and event_time: an event of a changelog before `start`?"""
    return F.col("topic").isin(*CHANGELOGS) & F.coalesce(F.col("event_time") < F.lit(start), F.lit(False))


def shortened(events: DataFrame, start: datetime) -> DataFrame:
    """Events (columns of EVENT), of those of changelogs before `start` only the last of each key."""
    if not CHANGELOGS:
        return events
    return events.where(~is_history(start)).unionByName(last_of_each_key(events.where(is_history(start))))


def needed(view: View, span: Span) -> Column:
    """Over topic and event_time: does the view need the event for rows that need the events of the span?"""
    own = F.col("topic").isin(*view.streams) & span.holds("event_time")
    if not view.changelogs:
        return own
    return own | (F.col("topic").isin(*view.changelogs) & (F.col("event_time") < F.lit(span.end)))


def can_matter(view: View, span: Span) -> Column:
    """`needed` of evidence: a late change that was known before the span makes no difference to its rows."""
    if not view.changelogs:
        return needed(view, span)
    was_known = (F.col("late_by_ms") > 0) & (known_at() < F.lit(span.start))
    return needed(view, span) & ~(F.col("topic").isin(*view.changelogs) & was_known)


def it_can_matter(view: View, span: Span, row: Mapping[str, Any]) -> bool:
    """`can_matter` of one row."""
    at, late = row["event_time"], timedelta(milliseconds=row["late_by_ms"])
    if row["topic"] in view.changelogs:
        return bool(at < span.end and (not late or at + late >= span.start))
    return row["topic"] in view.streams and span.start <= at < span.end


def of_both(stream: DataFrame, night: DataFrame, start: datetime) -> tuple[DataFrame, DataFrame]:
    """Both layers' events (columns of EVENT, KNOWN_AT), of those of changelogs before `start` only what can matter to the others.

    That is of each key that the others look up: the last event that both layers knew by then, and what one of them counts after
    it. So at every step from one layer to the other the last event of a key is there. Both are read once, and kept.
    """
    near = [materialized(events.where(~is_history(start))) for events in (stream, night)]
    views = [view for view in VIEWS.values() if view.changelogs]
    if not views:
        return near[0], near[1]
    old = [
        materialized(events.where(is_history(start)).withColumn("_own", key_of(CHANGELOGS)))
        for events in (stream, night)
    ]
    same = ["event_id", *PLACE, "content_hash"]
    shared = old[1].join(old[0].where(F.col(KNOWN_AT) < F.lit(start)).select(*same), same, "left_semi")
    since = shared.groupBy("topic", "_own").agg(F.max("event_time").alias("_since"))
    of_all = F.col("topic").isin([topic for view in views for topic, column in view.changelogs.items() if not column])
    looked = [
        events.select(F.lit(topic).alias("topic"), value_of(view, column).alias("_own"))
        for events in near
        for view in views
        for topic, column in view.changelogs.items()
        if column
    ]

    def kept(layer: int) -> DataFrame:
        after = old[layer].join(since, ["topic", "_own"], "left")
        after = after.where(F.col("_since").isNull() | (F.col("event_time") >= F.col("_since"))).drop("_since")
        own = [after.where(of_all)]
        if looked:
            own.append(after.where(~of_all).join(united(looked).distinct(), ["topic", "_own"], "left_semi"))
        return near[layer].unionByName(materialized(united([some.select(*near[layer].columns) for some in own])))

    return kept(0), kept(1)
