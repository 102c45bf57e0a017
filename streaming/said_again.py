"""A new lineage says all its views again, from silver, before its first micro-batch.

Data flow: silver's on-time events -> every row of every view -> speed/<view>, then one row of progress
Run: python -m streaming rebuild; python -m streaming

Written by Spark's executors, since silver may be large; every other row of a speed table comes from a micro-batch.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from infra import lake
from infra.settings import settings
from infra.writes import append_once
from streaming import gate as gates
from streaming.checkpoint import SourceOffsets
from streaming.current import CLOSES
from streaming.ingest import moment
from streaming.keeping import answered
from streaming.progress import INGEST, PROGRESS, REBUILT, MicroBatch
from streaming.silver import SILVER
from streaming.speed import speed_table
from streaming.views import VIEWS


def say_again(session: SparkSession, lineage: str, definitions: Mapping[str, str], start: SourceOffsets) -> None:
    """Write the views of a lineage that has no finished micro-batch yet; before the first lineage there is nothing to say.

    `start` is where the lineage begins to read.
    """
    progress = lake.read(session, PROGRESS)
    if progress.isEmpty() or not progress.where(F.col("lineage") == lineage).isEmpty():
        return
    gate = gates.restored(session, timedelta(seconds=settings().delay_seconds), lineage, REBUILT)
    batch = MicroBatch(INGEST, lineage, REBUILT, datetime.now(UTC), definitions)
    batch.offsets = [(topic, int(at), end, end) for topic, parts in start.items() for at, end in parts.items()]
    batch.gate = batch.watermark = moment(gate.at)
    on_time = lake.read(session, SILVER).where(F.col("late_by_ms") == 0)
    with batch.timed("views"):
        for view in VIEWS.values():
            rows = answered(view, on_time)
            table = speed_table(session, view)
            stamp = {
                "is_final": F.coalesce(F.col(CLOSES) < F.lit(batch.watermark), F.lit(False)),
                "as_of": F.lit(batch.as_of),
                "batch_id": F.lit(REBUILT).cast("long"),
                "lineage": F.lit(lineage),
                "definition": F.lit(definitions[view.name]),
            }
            append_once(rows.withColumns(stamp).select(*table.schema.fieldNames()), table, batch.writer, batch.version)
            batch.shown(table)
    batch.record()
