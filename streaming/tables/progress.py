"""Progress: one row per micro-batch, written last: a micro-batch that has a row is complete in every table.

Data flow: finished micro-batch -> speed/progress
Run: daybreak query "SELECT batch_id, rows, durations FROM speed.progress ORDER BY committed_at DESC LIMIT 5"
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from pyspark.sql import DataFrame
from pyspark.sql.types import (
    ArrayType,
)

from infra import logs
from infra.lake.columns import column, struct
from infra.lake.rows import arrow
from infra.lake.tables import Table
from infra.lake.writes import append_once
from streaming.reasons import Outcome

INGEST = "ingest"
"""The `query` of every row: the one streaming query, which fills bronze, silver and every view."""
REBUILT = -1
"""Batch number of the initial write: a new generation writes its views from silver before its first micro-batch."""

RANGE = struct(
    column("topic", "string", "Kafka topic"),
    column("partition", "int", "Kafka partition"),
    column("from", "bigint", "First offset of the range"),
    column("to", "bigint", "One past its last offset"),
)
"""A half-open range of Kafka offsets per partition."""

PROGRESS = Table(
    "speed",
    "progress",
    struct(
        column("query", "string", "The streaming query: ingest"),
        column("generation", "string", "Generation of the checkpoint"),
        column("batch_id", "bigint", "The micro-batch; -1 is the initial write of a new generation"),
        column("as_of", "timestamp", "When it started (UTC)"),
        column("committed_at", "timestamp", "When all its other rows were written, just before this one (UTC)"),
        column("watermark", "timestamp", "Events older than this were late in this micro-batch (UTC)"),
        column(
            "next_watermark",
            "timestamp",
            "Events older than this are late in the next micro-batch; rows that closed before it are final (UTC)",
        ),
        column("max_event_time", "timestamp", "Latest event time that it read (UTC)"),
        column(
            "aligned_event_time",
            "timestamp",
            "Event time up to which all partitions were read, after it: the next watermark plus the allowed lateness (UTC)",
        ),
        column("offsets", ArrayType(RANGE), "Offsets read, from and to per topic and partition"),
        column("rows", "map<string,bigint>", "Number of records: per outcome, late, and read in all"),
        column("durations", "map<string,bigint>", "Milliseconds per step"),
        column("definitions", "map<string,string>", "Version of each definition that it used"),
        column("visible", "map<string,timestamp>", "When its rows could be read, per table (UTC)"),
    ),
    description="One finished micro-batch of the stream; its row is written after its rows in all other tables.",
)

Offset = tuple[str, int, int, int]


def no_rows() -> dict[str, int]:
    """The counts of a micro-batch that read nothing: of every outcome, of late events, of all records."""
    return dict.fromkeys((*(kind.value for kind in Outcome), "late", "read"), 0)


def named(write: Callable[[DataFrame, int], None], generation: str) -> Callable[[DataFrame, int], None]:
    """`write`, whose lines in the log have the micro-batch's id: `ingest/<generation>/<number>`."""

    def write_at(validated: DataFrame, batch_id: int) -> None:
        logs.at(f"{INGEST}/{generation}/{batch_id}")
        write(validated, batch_id)

    return write_at


@dataclass
class MicroBatch:
    """A micro-batch while it runs; `record` makes it a row of progress."""

    query: str
    generation: str
    batch_id: int
    as_of: datetime
    definitions: Mapping[str, str]
    offsets: list[Offset] = field(default_factory=list)
    watermark: datetime | None = None
    """The watermark that its own events were compared with."""
    next_watermark: datetime | None = None
    """The watermark of the next micro-batch; rows that close before it are final."""
    max_event_time: datetime | None = None
    aligned_event_time: datetime | None = None
    """The event time that moves the watermark: the latest one read, or that of the slowest partition with a backlog."""
    rows: dict[str, int] = field(default_factory=dict)
    durations: dict[str, int] = field(default_factory=dict)
    visible: dict[str, datetime] = field(default_factory=dict)

    @property
    def writer(self) -> str:
        """The application id in Delta's `txn` action, per query and generation."""
        return f"{self.query}/{self.generation}"

    @property
    def version(self) -> int:
        """The version in Delta's `txn` action: `batch_id` + 1, since it cannot be negative and REBUILT is -1."""
        return self.batch_id + 1

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        """Measure a step in milliseconds."""
        start = time.perf_counter()
        yield
        self.durations[step] = round((time.perf_counter() - start) * 1000)

    def shown(self, table: Table) -> None:
        """Note that its rows of `table` can be read from now on."""
        self.visible[table.id] = datetime.now(UTC)

    def record(self) -> None:
        """Write the row; a repeated batch writes nothing."""
        row = {
            "query": self.query,
            "generation": self.generation,
            "batch_id": self.batch_id,
            "as_of": self.as_of,
            "committed_at": datetime.now(UTC),
            "watermark": self.watermark,
            "next_watermark": self.next_watermark,
            "max_event_time": self.max_event_time,
            "aligned_event_time": self.aligned_event_time,
            "offsets": [dict(zip(RANGE.fieldNames(), at, strict=True)) for at in self.offsets],
            "rows": list(self.rows.items()),
            "durations": list(self.durations.items()),
            "definitions": list(self.definitions.items()),
            "visible": list(self.visible.items()),
        }
        append_once(arrow([row], PROGRESS.schema), PROGRESS, self.writer, self.version)
