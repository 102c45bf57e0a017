"""Gaps: offsets that Kafka deleted before they were read. They are recorded with range and cause, and never filled.

Data flow: offsets that a reader has reached, Log -> Gap; gaps that a rebuild accepted -> bronze/gaps
Run: python -m streaming rebuild --accept-gap; daybreak gaps
"""

from collections.abc import Iterable, Mapping
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
from streaming.log import Log
from streaming.progress import RANGE

BRONZE_GAPS = Table(
    "bronze",
    "gaps",
    struct(
        *RANGE.fields,
        column("cause", "string", "Why the records were gone: retention"),
        column("accepted_at", "timestamp", "When the rebuild accepted the gap (UTC)"),
        column("generation", "string", "Generation of the checkpoint that continued after the gap"),
    ),
    description="A range of offsets that Kafka deleted before the stream read them, and that a rebuild skipped.",
)
"""One range of offsets [from, to) that the stream never read, and the generation that continued after it."""


class GapCause(StrEnum):
    """Why offsets that had not been read are not in the log."""

    RETENTION = "retention"
    """The log now begins after the last offset that was read: retention deleted what lay between."""
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
    """The gaps of a reader that has read up to `read_to` (exclusive). A partition that it has never read has no gap."""
    found = []
    for (topic, partition), reached in sorted(read_to.items()):
        first, end = log.first.get((topic, partition), reached), log.end.get((topic, partition), reached)
        if first > reached:
            found.append(Gap(topic, partition, reached, first, GapCause.RETENTION))
        elif end < reached:
            found.append(Gap(topic, partition, end, reached, GapCause.LOG_REPLACED))
    return found


def removed(found: Iterable[Gap], reader: str) -> str:
    """The message about gaps of retention: every range, and the reader that missed it."""
    ranges = ", ".join(f"{gap} ({gap.end - gap.start} records)" for gap in found)
    return f"{ranges}: removed by retention before {reader} read them"


def refuse(found: Iterable[Gap]) -> None:
    """Raise PermanentFailure, with the command that helps, if retention deleted records that the stream has not read.

    A log that ends too early is left to Spark: a broker that has just restarted may report its end a moment late.
    """
    lost = [gap for gap in found if gap.cause is GapCause.RETENTION]
    if lost:
        raise PermanentFailure(
            f"{removed(lost, 'the stream')}. To continue after them and record the gap, run "
            "`python -m streaming rebuild --accept-gap`, then start the stream (infra/README.md, Gaps)."
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
