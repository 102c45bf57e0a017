"""What the stream had said about a day when the night looked, and how far it had read.

Data flow: speed/progress, speed/<view> -> SpeedSnapshot
Run: python -m batch reconcile --date 2026-01-31
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from batch.archive import Ranges
from batch.day import Day
from infra.failures import PermanentFailure, TransientFailure
from infra.lake import arrow_tables, spark_tables
from streaming.progress import PROGRESS
from streaming.speed import latest_rows, speed_table
from streaming.views.view import View

MicroBatch = Mapping[str, Any]
"""A row of progress: generation, batch_id, definitions, offsets."""


@dataclass(frozen=True)
class SpeedSnapshot:
    """A view's answer for a day as of the stream's last finished micro-batch.

    `counted`: over the columns of silver, which events had been written by then. `read`: the offsets behind them.
    """

    rows: DataFrame
    counted: Column
    read: Ranges


def finished() -> Sequence[MicroBatch]:
    """The stream's finished micro-batches, as the night needs them; looked at once for all views."""
    return arrow_tables.rows(PROGRESS, ["generation", "batch_id", "definitions", "offsets"])


def said(session: SparkSession, view: View, day: Day, definition: str, progress: Sequence[MicroBatch]) -> SpeedSnapshot:
    """What the stream said until its last finished micro-batch, in which all its tables and views agree.

    Raises:
        TransientFailure: the view is new, and no micro-batch has finished with it.
        PermanentFailure: the stream runs another definition of the view; unequal versions are not compared.
    """
    latest = max(progress, key=lambda row: (row["generation"], row["batch_id"]), default=None)
    speed = spark_tables.read(session, speed_table(session, view)).where(F.col("day") == F.lit(day.date))
    if latest is None:
        return SpeedSnapshot(speed.limit(0), F.lit(False), {})
    runs = latest["definitions"].get(view.name)
    if runs is None:
        raise TransientFailure(f"the stream has not said {view.name} yet: it does with its next micro-batch")
    if runs != definition:
        raise PermanentFailure(
            f"the stream runs version {runs} of {view.name} and the night {definition}: unequal versions "
            "are not compared. Start the stream with the night's code; it says how to rebuild the view."
        )
    until = F.col("batch_id") <= latest["batch_id"]
    own = speed.where((F.col("generation") == latest["generation"]) & until)
    counted = (F.col("generation") < latest["generation"]) | ((F.col("generation") == latest["generation"]) & until)
    return SpeedSnapshot(latest_rows(view, own), counted, read(progress, latest["generation"], latest["batch_id"]))


def rows_of_other_versions(session: SparkSession, view: View, day: Day, definition: str) -> DataFrame:
    """What the stream had said of a day by other versions of the view, per key by the last one of them.

    Only rows that were final in that version before the stream started anew: what was still open then has been changed by
    later events too, and nobody was told that it is final.
    """
    speed = spark_tables.read(session, speed_table(session, view)).where(F.col("day") == F.lit(day.date))
    closed = speed.where((F.col("definition") != F.lit(definition)) & F.col("is_final"))
    newest = F.max("generation").over(Window.partitionBy(*view.key))
    return latest_rows(view, closed.withColumn("newest", newest).where(F.col("generation") == F.col("newest")))


def read(progress: Iterable[MicroBatch], generation: str, batch_id: int) -> Ranges:
    """The offsets that the stream had read up to a micro-batch, its micro-batches merged."""
    done = [row for row in progress if (row["generation"], row["batch_id"]) <= (generation, batch_id)]
    found = sorted((at["topic"], at["partition"], at["from"], at["to"]) for row in done for at in row["offsets"] or ())
    ranges: Ranges = {}
    for topic, partition, start, end in found:
        own = ranges.setdefault((topic, partition), [])
        if own and start <= own[-1][1]:
            own[-1] = (own[-1][0], max(own[-1][1], end))
        else:
            own.append((start, end))
    return ranges
