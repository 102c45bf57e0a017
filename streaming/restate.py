"""Views that the stream must write from all of silver before it goes on: all of a new generation's, and one that is new.

Data flow: silver's on-time events -> every row of every view -> speed/<view>, then one row of progress
Run: python -m streaming rebuild; python -m streaming

Written by Spark's executors, since silver may be large; every other row of a speed table comes from a micro-batch.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from infra.lake import spark_tables
from infra.lake.writes import append_once
from infra.settings import settings
from streaming import watermark as watermarks
from streaming.checkpoint import SourceOffsets
from streaming.ingest import moment
from streaming.progress import INGEST, PROGRESS, REBUILT, MicroBatch, no_rows
from streaming.silver import SILVER
from streaming.speed import speed_table
from streaming.update_views import answered
from streaming.view_state import CLOSES
from streaming.views import VIEWS


def restate(session: SparkSession, generation: str, definitions: Mapping[str, str], start: SourceOffsets) -> None:
    """Write what the last finished micro-batch did not know: after a rebuild every view, else those that are new.

    `start` is where the generation begins to read. Before the first micro-batch of all there is nothing to write.
    """
    progress = spark_tables.read(session, PROGRESS)
    latest = progress.orderBy(F.col("generation").desc(), F.col("batch_id").desc()).first()
    if latest is None:
        return
    is_new = latest["generation"] != generation
    views = [view for view in VIEWS.values() if is_new or view.name not in latest["definitions"]]
    if not views:
        return
    watermark = watermarks.restored(
        session, timedelta(seconds=settings().watermark_delay_seconds), generation, latest["batch_id"] + 1
    )
    batch = MicroBatch(INGEST, generation, REBUILT, datetime.now(UTC), definitions)
    batch.offsets = [(topic, int(at), end, end) for topic, parts in start.items() for at, end in parts.items()]
    batch.rows = no_rows()
    batch.watermark = batch.next_watermark = moment(watermark.at)
    # A micro-batch that never finished is written again, and then writes its own events.
    finished = (F.col("generation") != latest["generation"]) | (F.col("batch_id") <= latest["batch_id"])
    on_time = spark_tables.read(session, SILVER).where((F.col("late_by_ms") == 0) & finished)
    with batch.timed("views"):
        for view in views:
            rows = answered(view, on_time)
            table = speed_table(view)
            stamp = {
                "is_final": F.coalesce(F.col(CLOSES) < F.lit(batch.next_watermark), F.lit(False)),
                "as_of": F.lit(batch.as_of),
                "batch_id": F.lit(REBUILT).cast("long"),
                "generation": F.lit(generation),
                "definition": F.lit(definitions[view.name]),
            }
            append_once(rows.withColumns(stamp).select(*table.schema.fieldNames()), table, batch.writer, batch.version)
            batch.shown(table)
    if is_new:
        batch.record()
