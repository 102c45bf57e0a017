"""Waits: how long the stream would have had to wait for an event, so that it is not late.

Data flow: archive (which records came before), truth/events or silver -> wait of each event -> reconciliation/lateness
Run: python -m batch curve --date 2026-01-31

The watermark that an event meets is the frontier minus the delay, where the frontier is the largest event time seen before
it (streaming/positions/watermark). So the event needs a delay of at least frontier - event time. What counts as "before" is
its Basis.
"""

from collections.abc import Collection
from datetime import date
from enum import StrEnum

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from batch.archive.events import ARCHIVE, PLACE
from batch.days.day import Day
from batch.truth.recompute import TRUTH_QUARANTINE
from infra.lake import spark_tables
from infra.lake.columns import column, struct
from infra.lake.tables import Table
from streaming.deduplication.deduplicate import ARRIVAL_ORDER
from streaming.reasons import Reason
from streaming.tables.progress import PROGRESS
from streaming.tables.silver import QUARANTINE, SILVER
from streaming.views import LOOKBACK


class Basis(StrEnum):
    """Which records count as seen before an event."""

    LOG = "log"
    """Every record that arrived before it, as if each micro-batch held one record: the longest wait that is possible."""
    STREAM = "stream"
    """The records of earlier micro-batches, as the stream really cut them: with the delay in force, what the stream did."""


EVENT_LATENESS = Table(
    "reconciliation",
    "lateness",
    struct(
        column("day", "date", "The day of the events"),
        column("view", "string", "The view whose inputs they are"),
        column(
            "basis",
            "string",
            "Lateness is measured against: log = all records that arrived earlier; stream = the earlier micro-batches",
        ),
        column(
            "required_delay_seconds",
            "bigint",
            "The smallest allowed lateness with which these events are on time, in whole seconds; 0 = came in order",
        ),
        column("events", "bigint", "Number of these events"),
        column("run", "string", "The night that settled the day"),
    ),
    description="A histogram of lateness: the number of a view's input events of a settled day by required delay in seconds.",
)
"""The number of a view's input events of a day by required delay (allowed lateness) in whole seconds; 0 = came in order."""


def required_delay_seconds(frontier_ms: Column, event_ms: Column) -> Column:
    """The smallest delay in whole seconds with which an event is on time; 0 if nothing was seen before it."""
    behind = F.greatest(frontier_ms - event_ms, F.lit(0))
    return F.call_function("div", behind + 999, F.lit(1000)).cast("long")


def log_frontiers(records: DataFrame) -> DataFrame:
    """Topic, partition, offset and `frontier_ms` of records: the largest event time that arrived before each.

    Takes ARRIVAL_ORDER, `event_ms` and `moves` (does the record move the watermark?). One window over all records would run
    as a single task. So the global window has one row per second of arrival, and records have a window within their second.
    """
    timed = records.withColumn("second", F.unix_seconds("arrival")).withColumn(
        "moved_ms", F.when(F.col("moves"), F.col("event_ms"))
    )
    earlier = Window.orderBy("second").rowsBetween(Window.unboundedPreceding, -1)
    seconds = (
        timed.groupBy("second")
        .agg(F.max("moved_ms").alias("largest"))
        .select("second", F.max("largest").over(earlier).alias("before_ms"))
    )
    in_second = Window.partitionBy("second").orderBy(*ARRIVAL_ORDER).rowsBetween(Window.unboundedPreceding, -1)
    return (
        timed.withColumn("within_ms", F.max("moved_ms").over(in_second))
        .join(F.broadcast(seconds), "second")
        .select(*PLACE, F.greatest("before_ms", "within_ms").alias("frontier_ms"))
    )


def batch_frontiers(batches: DataFrame) -> DataFrame:
    """Generation, batch_id and `frontier_ms` of the stream's micro-batches: how far earlier ones read all partitions."""
    earlier = Window.orderBy("generation", "batch_id").rowsBetween(Window.unboundedPreceding, -1)
    largest = F.max(F.unix_millis("aligned_event_time")).over(earlier).alias("frontier_ms")
    return batches.select("generation", "batch_id", largest)


def waits(session: SparkSession, day: Day, events: DataFrame, settled: Collection[date]) -> DataFrame:
    """Events that the day's rows need, with their `required_delay_seconds` by Basis.LOG.

    `settled`: the settled days; on these the night's quarantine says which records do not move the watermark.
    """
    frontiers = log_frontiers(_records(session, day, events, settled))
    wait = required_delay_seconds(F.col("frontier_ms"), F.unix_millis("event_time")).alias("required_delay_seconds")
    return events.join(frontiers, list(PLACE), "left").select(*[events[name] for name in events.columns], wait)


def waits_as_read(session: SparkSession, day: Day) -> DataFrame:
    """Silver's events of the day, as topic and `required_delay_seconds` by Basis.STREAM."""
    progress = spark_tables.read(session, PROGRESS).where(_can_matter(day, "aligned_event_time"))
    silver = spark_tables.of_day(session, SILVER, day.date)
    read = silver.join(F.broadcast(batch_frontiers(progress)), ["generation", "batch_id"])
    wait = required_delay_seconds(F.col("frontier_ms"), F.unix_millis("event_time")).alias("required_delay_seconds")
    return read.select("topic", wait)


def _records(session: SparkSession, day: Day, events: DataFrame, settled: Collection[date]) -> DataFrame:
    """The records up to the arrival of the last of the events, in the form that `log_frontiers` takes.

    Quarantined records do not move the watermark, except conflicts, which are valid events. On settled days the night's
    quarantine counts, on other days the stream's.
    """
    since = (day.start - LOOKBACK).date()
    archived = spark_tables.read(session, ARCHIVE).where(
        _can_matter(day, "event_time") & (F.col("day") >= F.lit(since))
    )
    last = events.agg(F.max("arrival")).first()
    until = last[0] if last else None
    is_settled = F.col("day").isin(list(settled))
    broken = ~F.array_contains("reasons", Reason.CONFLICT.value)
    by_night = (
        spark_tables.read(session, TRUTH_QUARANTINE).where(broken).select(*PLACE, F.lit(True).alias("is_settled"))
    )
    by_stream = spark_tables.read(session, QUARANTINE).where(broken).select(*PLACE, F.lit(False).alias("is_settled"))
    refused = by_night.unionByName(by_stream).withColumn("refused", F.lit(True))
    return (
        archived.where(F.col("arrival") <= F.lit(until))
        .select(*ARRIVAL_ORDER, F.unix_millis("event_time").alias("event_ms"), is_settled.alias("is_settled"))
        .join(refused, [*PLACE, "is_settled"], "left")
        .withColumn("moves", F.col("refused").isNull())
    )


def _can_matter(day: Day, time: str) -> Column:
    """Event times from LOOKBACK before the day on: an earlier frontier makes no event late that counts, so it is not read."""
    return F.col(time) >= F.lit(day.start - LOOKBACK)
