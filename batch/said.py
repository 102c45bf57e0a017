"""What the stream had said about a day when the night looked, and how far it had read.

Data flow: speed/progress, speed/<view> -> Said
Run: python -m batch reconcile --date 2026-01-31
"""

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from batch.archive import Ranges
from batch.day import Day
from infra import lake
from infra.failures import PermanentFailure, TransientFailure
from streaming.progress import PROGRESS
from streaming.speed import said_last, speed_table
from streaming.views.view import View


@dataclass(frozen=True)
class Said:
    """A view's answer for a day as of the stream's last finished micro-batch.

    `counted`: over the columns of silver, which events had been written by then. `read`: the offsets behind them.
    """

    rows: DataFrame
    counted: Column
    read: Ranges


def said(session: SparkSession, view: View, day: Day, definition: str) -> Said:
    """Look once at the stream's last finished micro-batch, in which all its tables and views agree.

    Raises:
        TransientFailure: the view is new, and no micro-batch has finished with it.
        PermanentFailure: the stream runs another definition of the view; unequal versions are not compared.
    """
    progress = lake.read(session, PROGRESS)
    latest = progress.orderBy(F.col("lineage").desc(), F.col("batch_id").desc()).first()
    speed = lake.read(session, speed_table(session, view)).where(F.col("day") == F.lit(day.date))
    if latest is None:
        return Said(speed.limit(0), F.lit(False), {})
    runs = latest["definitions"].get(view.name)
    if runs is None:
        raise TransientFailure(f"the stream has not said {view.name} yet: it does with its next micro-batch")
    if runs != definition:
        raise PermanentFailure(
            f"the stream runs version {runs} of {view.name} and the night {definition}: unequal versions "
            "are not compared. Start the stream with the night's code; it says how to rebuild the view."
        )
    finished = F.col("batch_id") <= latest["batch_id"]
    own = speed.where((F.col("lineage") == latest["lineage"]) & finished)
    counted = (F.col("lineage") < latest["lineage"]) | ((F.col("lineage") == latest["lineage"]) & finished)
    return Said(said_last(view, own), counted, read(progress, latest["lineage"], latest["batch_id"]))


def said_by_other(session: SparkSession, view: View, day: Day, definition: str) -> DataFrame:
    """What the stream had said of a day by other versions of the view, per key by the last one of them.

    Only rows that were final in that version before the stream started anew: what was still open then has been changed by
    later events too, and nobody was told that it is final.
    """
    speed = lake.read(session, speed_table(session, view)).where(F.col("day") == F.lit(day.date))
    closed = speed.where((F.col("definition") != F.lit(definition)) & F.col("is_final"))
    newest = F.max("lineage").over(Window.partitionBy(*view.key))
    return said_last(view, closed.withColumn("newest", newest).where(F.col("lineage") == F.col("newest")))


def read(progress: DataFrame, lineage: str, batch_id: int) -> Ranges:
    """The offsets that the stream had read up to a micro-batch, its micro-batches merged."""
    earlier_lineage = F.col("lineage") < lineage
    done = progress.where(earlier_lineage | ((F.col("lineage") == lineage) & (F.col("batch_id") <= batch_id)))
    in_order = Window.partitionBy("topic", "partition").orderBy("from", "to")
    earlier = in_order.rowsBetween(Window.unboundedPreceding, -1)
    so_far = in_order.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    begins = F.coalesce(F.col("from") > F.max("to").over(earlier), F.lit(True))
    rows = (
        done.select(F.explode("offsets").alias("at"))
        .select("at.*")
        .withColumn("begins", begins.cast("int"))
        .withColumn("range", F.sum("begins").over(so_far))
        .groupBy("topic", "partition", "range")
        .agg(F.min("from").alias("start"), F.max("to").alias("end"))
        .collect()
    )
    ranges: Ranges = {}
    for row in sorted(rows, key=lambda row: row["start"]):
        ranges.setdefault((row["topic"], row["partition"]), []).append((row["start"], row["end"]))
    return ranges
