"""Conservation: per partition and night, every offset of the log is in archive and bronze, and every record is accounted for.

Data flow: how far archive and stream have come -> tally of the offsets since the last check -> reconciliation/conservation
Run: daybreak query "SELECT * FROM reconciliation.conservation ORDER BY checked_at, topic, partition"

A range goes from where the last sound one ended to where both the archive and the stream have come: what the stream has
not read yet waits for the next night. Within it, and outside of the archive's gaps, offsets are counted, not rows:

    log = archived + empty;  archived = bronze + unread;  bronze = silver + quarantined + duplicates + unaccounted

`empty` are offsets without a record: the markers of transactions, and what compaction removed. Both layers asked Kafka
for them with failOnDataLoss, and neither was given one. An offset that only one of them lacks is missing, and so is one
that both lack and that the log no longer reaches back to. `unread` are in a named gap of the stream (bronze/gaps).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import reduce
from typing import Any

import pyarrow.compute as pc
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from batch.archive import ARCHIVE, ARCHIVE_GAPS, behind
from batch.conservation.offset_counts import COUNTS, FAULTS, tally
from batch.conservation.offset_range import OffsetRange, Range
from batch.day import Day
from infra.failpoints import point
from infra.failures import PermanentFailure
from infra.kafka.places import At, Ends
from infra.lake import arrow_tables, spark_tables
from infra.lake.columns import column, struct
from infra.lake.rows import arrow
from infra.lake.tables import Table
from infra.lake.writes import append_once
from streaming.bronze import BRONZE
from streaming.gaps import BRONZE_GAPS
from streaming.log import Log
from streaming.progress import INGEST, PROGRESS, RANGE
from streaming.silver import QUARANTINE, SILVER

CONSERVATION = Table(
    "reconciliation",
    "conservation",
    struct(
        column("day", "date", "The day whose night counted"),
        *RANGE.fields,
        *[column(name, "bigint", meaning) for name, meaning in COUNTS.items()],
        column("checked_at", "timestamp", "When it was counted (UTC)"),
    ),
    description="One partition's offsets since the last sound check, as a night counted them: log = archived + empty, "
    "archived = bronze + unread, bronze = silver + quarantined + duplicates + unaccounted.",
)
"""One partition's range of offsets [from, to), as the night of `day` counted it; a sound one has 0 in every fault."""


@dataclass(frozen=True)
class Marks:
    """How far everything has come, per topic and partition, in offsets.

    `archived`: of the records behind `conserved` the first offset and one past the last; `conserved`: where the last
    sound range ended; `streamed`: behind the stream's finished micro-batches; `gaps`, `unread`: named gaps of the archive
    and of the stream.
    """

    archived: dict[At, Range] = field(default_factory=dict)
    conserved: Ends = field(default_factory=dict)
    streamed: Ends = field(default_factory=dict)
    gaps: dict[At, list[Range]] = field(default_factory=dict)
    unread: dict[At, list[Range]] = field(default_factory=dict)

    @property
    def read_to(self) -> Ends:
        """Where the archive goes on, per partition of which a night has ever known: behind records and accepted gaps."""
        ends = {at: end for at, (_, end) in self.archived.items()}
        behind = {at: max(end for _, end in ranges) for at, ranges in self.gaps.items()}
        known = ends.keys() | behind.keys() | self.conserved.keys()
        return {at: max(ends.get(at, 0), behind.get(at, 0), self.conserved.get(at, 0)) for at in known}

    def spans(self, log: Log) -> list[OffsetRange]:
        """What is to be checked once the archive has read the log: a span per partition, empty where nothing is new."""
        found = []
        for at in sorted(log.end):
            start = self.conserved.get(at, self.archived.get(at, (log.first[at], 0))[0])
            end = max(start, min(log.end[at], self.streamed.get(at, 0)))
            gaps, unread = tuple(self.gaps.get(at, ())), tuple(self.unread.get(at, ()))
            found.append(OffsetRange(*at, start, end, log.first[at], gaps, unread))
        return found


def marks(session: SparkSession) -> Marks:
    """Look once. The stream's tables hold everything that is marked here, and perhaps more."""
    found = Marks()
    found.conserved.update({at: end for at, (_, end) in conserved().items()})
    batches = arrow_tables.rows(PROGRESS, ["offsets"], pc.field("query") == INGEST)
    streamed = _spanned(row for one in batches for row in one["offsets"])
    found.streamed.update({at: end for at, (_, end) in streamed.items()})
    for table, ranges in ((ARCHIVE_GAPS, found.gaps), (BRONZE_GAPS, found.unread)):
        for row in arrow_tables.rows(table, RANGE.fieldNames()):
            ranges.setdefault((row["topic"], row["partition"]), []).append((row["from"], row["to"]))
    # What was counted is known: of the archive only what came since is looked at.
    newer = spark_tables.read(session, ARCHIVE).where(behind(found.conserved))
    ends = F.min("offset").alias("from"), (F.max("offset") + 1).alias("to")
    for row in newer.groupBy("topic", "partition").agg(*ends).toArrow().to_pylist():
        found.archived[row["topic"], row["partition"]] = (row["from"], row["to"])
    return found


def conserved() -> dict[At, Range]:
    """Per partition the offsets that the sound ranges so far cover, which follow on one another."""
    sound = reduce(lambda one, other: one & other, [pc.field(fault) == 0 for fault in FAULTS])
    return _spanned(arrow_tables.rows(CONSERVATION, RANGE.fieldNames(), sound))


def _spanned(ranges: Iterable[Mapping[str, Any]]) -> dict[At, Range]:
    found: dict[At, Range] = {}
    for row in ranges:
        start, end = found.get((row["topic"], row["partition"]), (row["from"], row["to"]))
        found[row["topic"], row["partition"]] = min(start, row["from"]), max(end, row["to"])
    return found


def conserve(session: SparkSession, day: Day, log: Log, marks: Marks) -> int:
    """Check what archive and stream have both read since the last sound check; returns the number of offsets.

    A night that finds nothing new writes nothing. Raises PermanentFailure, once its rows are written, naming partitions
    and first offsets, if anything is missing, doubled or unaccounted.
    """
    spans = marks.spans(log)
    if all(span.start == span.end and span.at in marks.conserved for span in spans):
        return 0
    found = tally(spans, *[spark_tables.read(session, table) for table in (ARCHIVE, BRONZE, SILVER, QUARANTINE)])
    faults = [fault for one in found for fault in one.faults()]
    now = datetime.now(UTC)
    rows = [{"day": day.date, **one.span.row(), **one.counts, "checked_at": now} for one in found]
    # Ends only grow, so their sum numbers the write. Unsound rows are numbered apart: the same range may be sound later.
    version = sum((marks.conserved | {span.at: span.end for span in spans}).values())
    writer = "conservation/unsound" if faults else "conservation"
    append_once(arrow(rows, CONSERVATION.schema), CONSERVATION, writer, version)
    point("conservation.after")
    if faults:
        raise PermanentFailure(
            f"archive and stream do not add up to the log: {'; '.join(faults)}. Nothing is settled. "
            "See reconciliation.conservation, and the notes of the DAG `nightly`."
        )
    return sum(span.end - span.start for span in spans)
