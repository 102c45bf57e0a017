"""Gaps: offsets that Kafka deleted before they were read. They are recorded with range and cause, and never filled.

Data flow: offsets that a reader has reached, Log -> Gap; gaps that the stream has gone on behind -> bronze/gaps
Run: python -m streaming rebuild --accept-gap; daybreak gaps
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from pyspark.sql import SparkSession

from infra.failures import PermanentFailure
from infra.kafka.places import At
from infra.lake.columns import column, struct
from infra.lake.rows import frame
from infra.lake.tables import Table
from infra.lake.writes import append_once
from infra.problems import Problem
from streaming.positions.log import Log
from streaming.tables.progress import RANGE

BRONZE_GAPS = Table(
    "bronze",
    "gaps",
    struct(
        *RANGE.fields,
        column("cause", "string", "Why the records were gone: retention, before_first_read"),
        column("accepted_at", "timestamp", "When the stream went on behind the gap (UTC)"),
        column("generation", "string", "Generation of the checkpoint that continued after the gap"),
    ),
    description="A range of offsets that Kafka deleted before the stream read them, and behind which it went on.",
)
"""One range of offsets [from, to) that the stream never read, and the generation that continued after it."""


CONTINUE = "python -m streaming rebuild --accept-gap"
"""The command that lets a stream, which must be stopped, continue after a gap."""
ACCEPT = 'daybreak gaps --accept --note "why"'
"""The command by which a person accepts that records are lost."""


class GapCause(StrEnum):
    """Why offsets that had not been read are not in the log."""

    RETENTION = "retention"
    """The log now begins after the last offset that was read: retention deleted what lay between."""
    BEFORE_FIRST_READ = "before_first_read"
    """The topic was older than its contract: its log began behind offset 0 when it was first read."""
    LOG_REPLACED = "log_replaced"
    """The log ends before the last offset that was read: its offsets are assigned anew, so no reader can continue."""


@dataclass(frozen=True)
class Gap:
    """Offsets [start, end) of one partition that can no longer be read."""

    topic: str
    partition: int
    start: int
    end: int
    cause: GapCause

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition} [{self.start}, {self.end})"


def gaps(read_to: Mapping[At, int], log: Log) -> list[Gap]:
    """The gaps of a reader that has read up to `read_to` (exclusive), in the partitions that it has read."""
    found = []
    for (topic, partition), reached in sorted(read_to.items()):
        first, end = log.first.get((topic, partition), reached), log.end.get((topic, partition), reached)
        if first > reached:
            found.append(Gap(topic, partition, reached, first, GapCause.RETENTION))
        elif end < reached:
            found.append(Gap(topic, partition, end, reached, GapCause.LOG_REPLACED))
    return found


def unread(read_to: Mapping[At, int], log: Log, asked: Collection[str]) -> list[Gap]:
    """What the log no longer has of the partitions that the reader of `read_to` has never read.

    Of the topics that were `asked` for before, the partition was added since, and retention took it. Else it is nobody's loss.
    """
    return [
        Gap(*at, 0, first, GapCause.RETENTION if at[0] in asked else GapCause.BEFORE_FIRST_READ)
        for at, first in sorted(log.first.items())
        if first and at not in read_to
    ]


def removed(found: Iterable[Gap], reader: str) -> str:
    """The message about gaps of retention: every range, and the reader that missed it."""
    ranges = ", ".join(f"{gap} ({gap.end - gap.start} records)" for gap in found)
    return f"{ranges}: removed by retention before {reader} read them"


def problem(gap: Gap, reader: str, mend: str) -> Problem:
    """A gap as a problem of `reader`."""
    what = f"{removed([gap], f'the {reader}')}: they are lost, unless another reader has them"
    return Problem(f"log.gap/{reader}/{gap.topic}-{gap.partition}", what, mend, gap.end - gap.start, (str(gap),))


def refuse(found: Iterable[Gap]) -> None:
    """Raise PermanentFailure, with the command that helps, if retention deleted records that the stream has not read.

    A log that ends too early is left to Spark: a broker that has just restarted may report its end a moment late.
    """
    lost = [gap for gap in found if gap.cause is GapCause.RETENTION]
    if lost:
        raise PermanentFailure(
            f"{removed(lost, 'the stream')}. To continue after them and record the gap, run "
            f"`{CONTINUE}`, then start the stream (infra/README.md, Gaps)."
        )


def accept(session: SparkSession, found: Iterable[Gap], generation: str, version: int) -> None:
    """Append gaps to bronze/gaps; `version` grows with the offsets, so the same gap is written once."""
    rows = [
        {
            "topic": gap.topic,
            "partition": gap.partition,
            "from": gap.start,
            "to": gap.end,
            "cause": gap.cause.value,
            "accepted_at": datetime.now(UTC),
            "generation": generation,
        }
        for gap in found
    ]
    append_once(frame(session, rows, BRONZE_GAPS.schema), BRONZE_GAPS, "gaps", version)
