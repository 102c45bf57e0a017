"""Progress says when each table's rows could be read, to Spark and to readers without it; older rows are kept."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from infra.lake import spark_tables
from infra.lake.rows import frame
from infra.lake.writes import append_once
from streaming.monitor.freshness import no_builds, visible
from streaming.tables.bronze import BRONZE
from streaming.tables.progress import INGEST, PROGRESS, MicroBatch
from streaming.tables.silver import SILVER

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
OLDER = replace(PROGRESS, schema=StructType([field for field in PROGRESS.schema if field.name != "visible"]))


def batch(number: int) -> MicroBatch:
    return MicroBatch(INGEST, "l1", number, NOON, {"events": "abc"})


@pytest.mark.slow
def test_what_a_micro_batch_has_shown_is_what_freshness_reads(spark: SparkSession, local_lake: Path) -> None:
    spark_tables.create(spark, OLDER)
    row = {"query": INGEST, "generation": "l1", "batch_id": 0, "committed_at": NOON}
    append_once(frame(spark, [row], OLDER.schema), OLDER, "older", 0)
    spark_tables.create(spark, PROGRESS)
    began = datetime.now(UTC)
    own = batch(1)
    own.shown(BRONZE)
    own.shown(SILVER)
    own.record()
    own.record()

    progress = DeltaTable(str(local_lake / "speed" / "progress")).to_pyarrow_dataset().to_table().sort_by("batch_id")
    older, newer = progress.to_pylist(maps_as_pydicts="strict")
    assert older["visible"] is None
    times = newer["visible"]
    assert began <= times[BRONZE.id] <= times[SILVER.id] <= newer["committed_at"]
    events = pa.table(
        {"event_time": [NOON, NOON], "arrival": [NOON, NOON], "generation": ["l1", "l1"], "batch_id": [0, 1]}
    )
    placed = visible(events, progress, no_builds()).sort_by("batch_id")
    assert placed["bronze"].to_pylist() == [None, times[BRONZE.id]]
    assert placed["silver"].to_pylist() == [older["committed_at"], times[SILVER.id]]
