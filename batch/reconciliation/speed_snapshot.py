"""What the stream had written of a day when the night looked, and how far it had read.

Data flow: speed/progress, speed/<view> -> rows of the view; events counted, offsets read
Run: python -m batch reconcile --date 2026-01-31
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from batch.day import Day
from infra.failures import PermanentFailure, TransientFailure
from infra.kafka.places import Ranges
from infra.lake import arrow_tables, spark_tables
from streaming.progress import PROGRESS
from streaming.speed import latest_rows, speed_table
from streaming.views.view import View

MicroBatch = Mapping[str, Any]
"""A row of progress: generation, batch_id, definitions, offsets."""


def finished() -> Sequence[MicroBatch]:
    """The stream's finished micro-batches, as the night needs them; looked at once for all views."""
    return arrow_tables.rows(PROGRESS, ["generation", "batch_id", "definitions", "offsets"])


def snapshot(session: SparkSession, view: View, day: Day, definition: str, progress: Sequence[MicroBatch]) -> DataFrame:
    """What the stream had written until its last finished micro-batch, in which all its tables and views agree.

    Raises:
        TransientFailure: the view is new, and no micro-batch has finished with it.
        PermanentFailure: the stream runs another definition of the view; unequal versions are not compared.
    """
    latest = _latest(progress)
    speed = spark_tables.read(session, speed_table(view)).where(F.col("day") == F.lit(day.date))
    if latest is None:
        return speed.limit(0)
    runs = latest["definitions"].get(view.name)
    if runs is None:
        raise TransientFailure(f"the stream has not written {view.name} yet: it does with its next micro-batch")
    if runs != definition:
        raise PermanentFailure(
            f"the stream runs version {runs} of {view.name} and the night {definition}: unequal versions "
            "are not compared. Start the stream with the night's code; it says how to rebuild the view."
        )
    until = F.col("batch_id") <= latest["batch_id"]
    own = speed.where((F.col("generation") == latest["generation"]) & until)
    return latest_rows(view, own)


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
    """What the stream had written of a day by other versions of the view, per key by the last one of them.

    Only rows that were final in that version before the stream started anew: what was still open then has been changed by
    later events too, and it was never final.
    """
    speed = spark_tables.read(session, speed_table(view)).where(F.col("day") == F.lit(day.date))
    closed = speed.where((F.col("definition") != F.lit(definition)) & F.col("is_final"))
    newest = F.max("generation").over(Window.partitionBy(*view.key))
    return latest_rows(view, closed.withColumn("newest", newest).where(F.col("generation") == F.col("newest")))


def read(progress: Sequence[MicroBatch]) -> Ranges:
    """The offsets that the stream had read up to its last finished micro-batch, its micro-batches merged."""
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
