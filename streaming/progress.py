"""Progress: one row per micro-batch of every query, written last.

Data flow: finished micro-batch -> speed/progress
Run: daybreak query "SELECT query, batch_id, rows, durations FROM speed.progress ORDER BY committed_at DESC LIMIT 5"
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from pyspark.sql import SparkSession
from pyspark.sql.types import (
    ArrayType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from infra.rows import frame
from infra.tables import Table
from infra.writes import append_once
from streaming.checkpoint import Planned

INGEST = "ingest"
"""The `query` of the ingest's rows; a view's rows have its name."""

RANGE = StructType(
    [
        StructField("topic", StringType()),
        StructField("partition", IntegerType()),
        StructField("from", LongType()),
        StructField("to", LongType()),
    ]
)
"""A half-open range of Kafka offsets per partition."""

PROGRESS = Table(
    "speed",
    "progress",
    StructType(
        [
            StructField("query", StringType()),
            StructField("lineage", StringType()),
            StructField("batch_id", LongType()),
            StructField("as_of", TimestampType()),
            StructField("committed_at", TimestampType()),
            StructField("gate", TimestampType()),
            StructField("watermark", TimestampType()),
            StructField("max_event_time", TimestampType()),
            StructField("offsets", ArrayType(RANGE)),
            StructField("rows", MapType(StringType(), LongType())),
            StructField("durations", MapType(StringType(), LongType())),
            StructField("versions", MapType(StringType(), LongType())),
            StructField("silver_version", LongType()),
            StructField("definition", StringType()),
            StructField("visible", MapType(StringType(), TimestampType())),
        ]
    ),
)

Offset = tuple[str, int, int, int]


@dataclass
class MicroBatch:
    """A micro-batch while it runs; `record` makes it a row of progress."""

    query: str
    lineage: str
    batch_id: int
    planned: Planned
    definition: str
    offsets: list[Offset] = field(default_factory=list)
    gate: datetime | None = None
    max_event_time: datetime | None = None
    rows: dict[str, int] = field(default_factory=dict)
    durations: dict[str, int] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    silver_version: int | None = None
    visible: dict[str, datetime] = field(default_factory=dict)

    @property
    def writer(self) -> str:
        """The name under which Delta remembers what this query has appended."""
        return f"{self.query}/{self.lineage}"

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        """Measure a step in milliseconds."""
        start = time.perf_counter()
        yield
        self.durations[step] = round((time.perf_counter() - start) * 1000)

    def shown(self, table: Table) -> None:
        """From this moment on its rows of `table` can be read."""
        self.visible[table.id] = datetime.now(UTC)

    def record(self, session: SparkSession) -> None:
        """Write the row; a repeated batch writes nothing."""
        row = {
            "query": self.query,
            "lineage": self.lineage,
            "batch_id": self.batch_id,
            "as_of": self.planned.as_of,
            "committed_at": datetime.now(UTC),
            "gate": self.gate,
            "watermark": self.planned.watermark,
            "max_event_time": self.max_event_time,
            "offsets": [dict(zip(RANGE.fieldNames(), at, strict=True)) for at in self.offsets],
            "rows": list(self.rows.items()),
            "durations": list(self.durations.items()),
            "versions": list(self.versions.items()),
            "silver_version": self.silver_version,
            "definition": self.definition,
            "visible": list(self.visible.items()),
        }
        append_once(frame(session, [row], PROGRESS.schema), PROGRESS, self.writer, self.batch_id)
