"""Conservation: check per partition that every offset of the log is in archive and bronze, and what became of each record.

Data flow: how far archive and stream have read -> tally of the offsets since the last check -> reconciliation/conservation
Run: daybreak query "SELECT * FROM reconciliation.conservation ORDER BY checked_at, topic, partition"

A range goes from the end of the last sound range to the offset that both the archive and the stream have reached; what the
stream has not read yet is left to the next night. Offsets are counted, not rows, and those in the archive's gaps are not:

    log = archived + empty;  archived = bronze + unread;  bronze = silver + quarantined + duplicates + unaccounted

`empty`: offsets without a record, which the log shows to be of a transaction, as its marker or an aborted record; of a
changelog also those that compaction removed. `missing`: offsets that only one layer lacks, and those that both lack and that
the log does not explain (removed.py). `unread`: offsets in an accepted gap of the stream (bronze/gaps).

What does not add up stays in the range until it does, or until a person accepts it (losses.py): a range never begins behind
a fault. Meanwhile it is a problem (`daybreak status --problems`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import reduce
from typing import Any

import pyarrow.compute as pc
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from batch.archive.archived import newer
from batch.archive.events import ARCHIVE, ARCHIVE_GAPS
from batch.conservation.losses_table import LOSSES
from batch.conservation.offset_counts import COUNTS, FAULTS, OffsetCounts, Removed, tally
from batch.conservation.offset_range import OffsetRange, Range
from batch.conservation.removed import removed
from batch.days.day import Day
from infra.failpoints import point
from infra.failures import PermanentFailure
from infra.kafka.places import At, Ends
from infra.lake import arrow_tables, spark_tables
from infra.lake.columns import column, struct
from infra.lake.rows import arrow
from infra.lake.tables import Table
from infra.lake.writes import append_once
from infra.problems import Problem, add, mended
from infra.settings import settings
from streaming.positions.gaps import BRONZE_GAPS
from streaming.positions.log import Log
from streaming.tables.bronze import BRONZE
from streaming.tables.progress import INGEST, PROGRESS, RANGE
from streaming.tables.silver import QUARANTINE, SILVER

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
"""One partition's range of offsets [from, to), as the night of `day` counted it. A sound range has 0 in all of FAULTS."""

SOURCE = "conservation"
"""Of the problems."""
MEND = (
    'Find out why; if these records are lost for good, run `daybreak conservation --accept --note "why"`, then the night '
    "again"
)


@dataclass(frozen=True)
class Marks:
    """How far archive, stream and checks have come, per topic and partition, in offsets.

    `archived`: first offset and one past the last of the archive's records after `conserved`; `conserved`: end of the last
    sound range; `streamed`: end of the stream's finished micro-batches; `gaps`, `unread`: accepted gaps of the archive and
    of the stream; `accepted`: offsets with accepted faults; `begun`: the first offset that the stream read or a check counted.
    """

    archived: dict[At, Range] = field(default_factory=dict)
    conserved: Ends = field(default_factory=dict)
    streamed: Ends = field(default_factory=dict)
    gaps: dict[At, list[Range]] = field(default_factory=dict)
    unread: dict[At, list[Range]] = field(default_factory=dict)
    accepted: dict[At, list[Range]] = field(default_factory=dict)
    begun: Ends = field(default_factory=dict)

    @property
    def read_to(self) -> Ends:
        """The next offset that the archive reads, per known partition: after its records and its accepted gaps.

        A partition that only the stream has read is read from where the stream began: what is gone by then is a gap.
        """
        ends = {at: end for at, (_, end) in self.archived.items()}
        behind = {at: max(end for _, end in ranges) for at, ranges in self.gaps.items()}
        known = ends.keys() | behind.keys() | self.conserved.keys()
        begun = {at: first for at, first in self.begun.items() if at not in known}
        return begun | {at: max(ends.get(at, 0), behind.get(at, 0), self.conserved.get(at, 0)) for at in known}

    def spans(self, log: Log) -> list[OffsetRange]:
        """The ranges to check after the archive has read the log: one per partition, empty if nothing is new in it."""
        found = []
        for at in sorted(log.end):
            first = log.first[at]
            # Not where the archive begins: what it lacks at its beginning would be out of the range.
            begun = min(first, self.begun.get(at, first), self.archived.get(at, (first, 0))[0])
            start = self.conserved.get(at, begun)
            end = max(start, min(log.end[at], self.streamed.get(at, 0)))
            left_out = (tuple(ranges.get(at, ())) for ranges in (self.gaps, self.unread, self.accepted))
            found.append(OffsetRange(*at, start, end, first, *left_out))
        return found


def marks(session: SparkSession) -> Marks:
    """Read the marks once. The stream writes progress last, so its tables hold all that is marked here, and perhaps more."""
    found = Marks()
    found.conserved.update({at: end for at, (_, end) in conserved().items()})
    batches = arrow_tables.rows(PROGRESS, ["offsets"], pc.field("query") == INGEST)
    streamed = _spanned(row for one in batches for row in one["offsets"])
    found.streamed.update({at: end for at, (_, end) in streamed.items()})
    counted = _spanned(arrow_tables.rows(CONSERVATION, RANGE.fieldNames()))
    for at, (first, _) in [*streamed.items(), *counted.items()]:
        found.begun[at] = min(first, found.begun.get(at, first))
    for table, ranges in ((ARCHIVE_GAPS, found.gaps), (BRONZE_GAPS, found.unread), (LOSSES, found.accepted)):
        for row in arrow_tables.rows(table, RANGE.fieldNames()):
            ranges.setdefault((row["topic"], row["partition"]), []).append((row["from"], row["to"]))
    # Sound ranges need no second look: only the archive's newer records are read.
    ends = F.min("offset").alias("from"), (F.max("offset") + 1).alias("to")
    for row in newer(session, found.conserved).groupBy("topic", "partition").agg(*ends).toArrow().to_pylist():
        found.archived[row["topic"], row["partition"]] = (row["from"], row["to"])
    return found


def conserved() -> dict[At, Range]:
    """Per partition the offsets [from, to) that all sound ranges together cover; each began where the last ended."""
    sound = reduce(lambda one, other: one & other, [pc.field(fault) == 0 for fault in FAULTS])
    return _spanned(arrow_tables.rows(CONSERVATION, RANGE.fieldNames(), sound))


def _spanned(ranges: Iterable[Mapping[str, Any]]) -> dict[At, Range]:
    found: dict[At, Range] = {}
    for row in ranges:
        start, end = found.get((row["topic"], row["partition"]), (row["from"], row["to"]))
        found[row["topic"], row["partition"]] = min(start, row["from"]), max(end, row["to"])
    return found


def conserve(session: SparkSession, day: Day, log: Log, marks: Marks, removed: Removed | None = None) -> int:
    """Check what archive and stream have both read since the last sound check; returns the number of offsets.

    If nothing is new, nothing is written. `removed` as for `tally`, by default from the log. Raises PermanentFailure, after
    its rows are written, naming partitions and first offsets, if any offset is missing, doubled or unaccounted.
    """
    spans = marks.spans(log)
    if all(span.start == span.end and span.at in marks.conserved for span in spans):
        return 0
    found = counted(session, spans, removed)
    faults = [sentence for one in found for sentence in one.faults().values()]
    now = datetime.now(UTC)
    rows = [{"day": day.date, **one.span.row(), **one.counts, "checked_at": now} for one in found]
    # Ends only grow, so their sum numbers the write. Unsound rows have numbers of their own: a range may be sound later.
    version = sum((marks.conserved | {span.at: span.end for span in spans}).values())
    writer = "conservation/unsound" if faults else "conservation"
    append_once(arrow(rows, CONSERVATION.schema), CONSERVATION, writer, version)
    tell(found)
    point("conservation.after")
    if faults:
        raise PermanentFailure(
            f"archive and stream do not add up to the log: {'; '.join(faults)}. Nothing is settled. {MEND}. See the counts "
            'with daybreak query "SELECT * FROM reconciliation.conservation".'
        )
    return sum(span.end - span.start for span in spans)


def counted(session: SparkSession, spans: Sequence[OffsetRange], asked: Removed | None = None) -> list[OffsetCounts]:
    """The tally of some ranges in the tables as they are."""
    tables = [spark_tables.read(session, table) for table in (ARCHIVE, BRONZE, SILVER, QUARANTINE)]
    return tally(spans, tables, asked or (lambda at, holes: removed(session, at, holes)))


def tell(found: Sequence[OffsetCounts]) -> None:
    """Each fault is a problem until it is counted sound; partitions that were not counted keep theirs."""
    wrong = {}
    for one in found:
        place = "-".join(map(str, one.span.at))
        for fault, said in one.faults().items():
            first = tuple(f"{place} at {offset}" for offset in one.first[fault])
            wrong[_id(fault, one)] = Problem(_id(fault, one), said, MEND, one.counts[fault], first)
    add(settings(), SOURCE, wrong.values())
    mended(settings(), SOURCE, {_id(fault, one) for one in found for fault in FAULTS} - wrong.keys())


def _id(fault: str, one: OffsetCounts) -> str:
    return f"conservation.{fault}/{one.span.topic}-{one.span.partition}"
