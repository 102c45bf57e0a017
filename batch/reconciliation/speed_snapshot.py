"""A snapshot of the stream's answer: what it had written of a day when the night compared, and how far it had read.

Data flow: speed/progress, speed/<view> -> rows of the view; events counted, offsets read
Run: python -m batch reconcile --date 2026-01-31
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from batch.days.day import Day
from infra.failures import PermanentFailure, TransientFailure
from infra.kafka.places import Ranges
from infra.lake import arrow_tables, spark_tables
from streaming.tables.progress import PROGRESS, REBUILT
from streaming.tables.speed import latest_rows, speed_table
from streaming.views.view import View

MicroBatch = Mapping[str, Any]
"""A row of progress: generation, batch_id, definitions, offsets, next_watermark."""


def finished() -> Sequence[MicroBatch]:
    """The stream's finished micro-batches, with the columns of MicroBatch; read once for all views."""
    return arrow_tables.rows(PROGRESS, ["generation", "batch_id", "definitions", "offsets", "next_watermark"])


def snapshot(session: SparkSession, view: View, day: Day, definition: str, progress: Sequence[MicroBatch]) -> DataFrame:
    """The view's rows of a day up to the stream's last finished micro-batch, at which all its tables and views agree.

    Raises:
        TransientFailure: the view is new, and the stream has not started with it yet.
        PermanentFailure: the stream runs another definition of the view, and different versions cannot be compared.
    """
    latest = _latest(progress)
    speed = spark_tables.of_day(session, speed_table(view), day.date)
    if latest is None:
        return speed.limit(0)
    runs = latest["definitions"].get(view.name) or _written_at_start(session, view, latest["generation"])
    if runs is None:
        raise TransientFailure(
            f"the stream has not written {view.name} yet: it does when it starts with this code (daybreak restart stream)"
        )
    if runs != definition:
        raise PermanentFailure(
            f"the stream runs version {runs} of {view.name} and the night {definition}: different versions cannot be "
            "compared. Restart the stream with the night's code (daybreak restart stream); it says how to rebuild the view."
        )
    until = F.col("batch_id") <= latest["batch_id"]
    own = speed.where((F.col("generation") == latest["generation"]) & until)
    return latest_rows(view, own)


def _written_at_start(session: SparkSession, view: View, generation: str) -> str | None:
    """The version of a new view that the stream wrote when it started, if no micro-batch has come since; else None.

    Its rows are the view of all events up to the last finished micro-batch: see streaming/recovery/restate.
    """
    initial = (F.col("generation") == F.lit(generation)) & (F.col("batch_id") == F.lit(REBUILT))
    row = spark_tables.read(session, speed_table(view)).where(initial).select("definition").first()
    return str(row["definition"]) if row else None


def counted(progress: Sequence[MicroBatch]) -> Column:
    """Over the columns of silver: which events had been written by the last finished micro-batch."""
    latest = _latest(progress)
    if latest is None:
        return F.lit(False)
    is_before = F.col("batch_id") <= F.lit(latest["batch_id"])
    is_now = (F.col("generation") == F.lit(latest["generation"])) & is_before
    return (F.col("generation") < F.lit(latest["generation"])) | is_now


def _latest(progress: Sequence[MicroBatch]) -> MicroBatch | None:
    return max(progress, key=lambda row: (row["generation"], row["batch_id"]), default=None)


def rows_of_other_versions(session: SparkSession, view: View, day: Day, definition: str) -> DataFrame:
    """The stream's rows of a day by other versions of the view; per key the row of the last such version.

    Only rows that were final before the stream was rebuilt count. A row that was still open then was never a final answer,
    and later events have changed it too.
    """
    speed = spark_tables.of_day(session, speed_table(view), day.date)
    closed = speed.where((F.col("definition") != F.lit(definition)) & F.col("is_final"))
    newest = F.max("generation").over(Window.partitionBy(*view.key))
    return latest_rows(view, closed.withColumn("newest", newest).where(F.col("generation") == F.col("newest")))


def read(progress: Sequence[MicroBatch]) -> Ranges:
    """The offset ranges [start, end) that the stream had read up to its last finished micro-batch, merged and sorted."""
    found = sorted(
        (at["topic"], at["partition"], at["from"], at["to"]) for row in progress for at in row["offsets"] or ()
    )
    ranges: Ranges = {}
    for topic, partition, start, end in found:
        own = ranges.setdefault((topic, partition), [])
        if own and start <= own[-1][1]:
            own[-1] = (own[-1][0], max(own[-1][1], end))
        else:
            own.append((start, end))
    return ranges
