"""Write views from all of silver before the first micro-batch: all views of a new generation, or those that are new.

Data flow: silver's on-time events -> every row of every view -> speed/<view>, then one row of progress
Run: python -m streaming rebuild; python -m streaming

Spark's executors write these rows, since silver may be large. All other rows of a speed table come from micro-batches.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pyarrow.compute as pc
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from infra.lake import arrow_tables, spark_tables
from infra.lake.writes import append_once
from streaming.positions import watermark as watermarks
from streaming.positions.checkpoint import SourceOffsets
from streaming.positions.watermark import moment
from streaming.state.changelog import counted, known_at
from streaming.state.shared_plan import answered
from streaming.state.view_state import CLOSES
from streaming.tables.progress import INGEST, PROGRESS, REBUILT, MicroBatch, no_rows
from streaming.tables.silver import SILVER
from streaming.tables.speed import speed_table
from streaming.views import VIEWS
from streaming.views.as_of import KNOWN_AT


def restate(session: SparkSession, generation: str, definitions: Mapping[str, str], start: SourceOffsets) -> None:
    """Write the views that the last finished micro-batch did not write: after a rebuild all views, else new ones.

    `start` holds the offsets at which the generation begins to read. On an empty lake there is nothing to write.
    """
    latest = _latest()
    if latest is None:
        return
    is_new = latest["generation"] != generation
    views = [view for view in VIEWS.values() if is_new or view.name not in latest["definitions"]]
    if not views:
        return
    watermark = watermarks.restored(generation, latest["batch_id"] + 1)
    batch = MicroBatch(INGEST, generation, REBUILT, datetime.now(UTC), definitions)
    batch.offsets = [(topic, int(at), end, end) for topic, parts in start.items() for at, end in parts.items()]
    batch.rows = no_rows()
    batch.watermark = batch.next_watermark = moment(watermark.at)
    # An unfinished micro-batch is left out: it will be repeated, and then adds its own events.
    finished = (F.col("generation") != latest["generation"]) | (F.col("batch_id") <= latest["batch_id"])
    silver = spark_tables.read(session, SILVER).where(finished).withColumn(KNOWN_AT, known_at())
    with batch.timed("views"):
        for view in views:
            rows = answered(view, silver.where(counted(tuple(view.changelogs))))
            table = speed_table(view)
            stamp = {
                "is_final": F.coalesce(F.col(CLOSES) < F.lit(batch.next_watermark), F.lit(False)),
                "is_removed": F.lit(False),
                "as_of": F.lit(batch.as_of),
                "batch_id": F.lit(REBUILT).cast("long"),
                "generation": F.lit(generation),
                "definition": F.lit(definitions[view.name]),
            }
            append_once(rows.withColumns(stamp).select(*table.schema.fieldNames()), table, batch.writer, batch.version)
            batch.shown(table)
    if is_new:
        batch.record()


def _latest() -> dict[str, Any] | None:
    """Generation, number and definitions of the last finished micro-batch; None on an empty lake."""
    which = ("generation", "batch_id")
    found = arrow_tables.read(PROGRESS, which)
    if not found.num_rows:
        return None
    generation, batch_id = max(zip(*(found[name].to_pylist() for name in which), strict=True))
    is_it = (pc.field("generation") == generation) & (pc.field("batch_id") == batch_id)
    return arrow_tables.rows(PROGRESS, (*which, "definitions"), is_it)[-1]
