"""What the stream had said about a day when the night looked, and how far it had read.

Data flow: speed/progress, speed/<view> -> Said
Run: python -m batch reconcile --date 2026-01-31
"""

from dataclasses import dataclass
from datetime import datetime

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from batch.archive import Ranges
from batch.day import Day
from infra import lake
from infra.failures import PermanentFailure, TransientFailure
from streaming.progress import INGEST, PROGRESS
from streaming.speed import said_last, speed_table
from streaming.views.view import View


@dataclass(frozen=True)
class Said:
    """A view's answer for a day as of its last finished micro-batch.

    `silver_version`: silver's commits below it had been read; 0 where the view has not run yet. `read`: the offsets
    behind those commits. `watermark`: None until Spark has one.
    """

    rows: DataFrame
    silver_version: int
    watermark: datetime | None
    read: Ranges


def said(session: SparkSession, view: View, day: Day, definition: str) -> Said:
    """Look once at the stream's last finished micro-batch of the view.

    Raises:
        TransientFailure: the view is still reading silver from the beginning (after a rebuild).
        PermanentFailure: the stream runs another definition of the view; unequal versions are not compared.
    """
    progress = lake.read(session, PROGRESS)
    latest = (
        progress.where(F.col("query") == view.name).orderBy(F.col("lineage").desc(), F.col("batch_id").desc()).first()
    )
    speed = lake.read(session, speed_table(session, view)).where(F.col("day") == F.lit(day.date))
    if latest is None:
        return Said(speed.limit(0), 0, None, {})
    if latest["silver_version"] < 0:
        raise TransientFailure(f"the view {view.name} is being rebuilt from silver: the night waits for it")
    if latest["definition"] != definition:
        raise PermanentFailure(
            f"the stream runs version {latest['definition']} of {view.name} and the night {definition}: unequal versions "
            "are not compared. Start the stream with the night's code; it says how to rebuild the view."
        )
    own = speed.where((F.col("lineage") == latest["lineage"]) & (F.col("batch_id") <= latest["batch_id"]))
    return Said(
        said_last(view, own),
        latest["silver_version"],
        latest["watermark"],
        read(progress, latest["silver_version"]),
    )


def said_by_other(session: SparkSession, view: View, day: Day, definition: str) -> DataFrame:
    """What the stream had said of a day by other versions of the view, per key by the last one of them.

    Only rows on which that version had its last word before the stream started anew: what was still open then has been
    changed by later events too, and nobody was told that it is final.
    """
    other = F.col("definition") != F.lit(definition)
    progress = lake.read(session, PROGRESS).where((F.col("query") == view.name) & other)
    ends = progress.groupBy("lineage").agg(F.max("watermark").alias("watermark"))
    speed = lake.read(session, speed_table(session, view)).where((F.col("day") == F.lit(day.date)) & other)
    closed = speed.join(F.broadcast(ends), "lineage").where(view.closes() < F.col("watermark"))
    newest = F.max("lineage").over(Window.partitionBy(*view.key))
    return said_last(view, closed.withColumn("newest", newest).where(F.col("lineage") == F.col("newest")))


def read(progress: DataFrame, silver_version: int) -> Ranges:
    """The offsets that the ingest had put into silver's commits below a version, its micro-batches merged."""
    done = progress.where((F.col("query") == INGEST) & (F.col("versions")["silver/events"] < silver_version))
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
