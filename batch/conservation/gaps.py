"""Accept that Kafka removed records before a night read them: each gap becomes a permanent row of archive/gaps.

Data flow: Marks, Log -> archive/gaps; the next night continues after the gaps
Run: daybreak gaps --accept --note "Kafka's disk was full"
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from batch.archive import ARCHIVE, ARCHIVE_GAPS
from batch.conservation.check import Marks, marks
from infra.failures import PermanentFailure
from infra.kafka.places import At
from infra.lake import spark_tables
from infra.lake.rows import arrow
from infra.lake.writes import append_once
from streaming.gaps import Gap, GapCause, gaps
from streaming.log import Log, arrivals, log_now

Times = Mapping[At, datetime]
"""A time per topic and partition."""


def accept(session: SparkSession, note: str) -> list[Gap]:
    """Write a row for every partition whose log begins after the archive's end; returns the gaps.

    Raises PermanentFailure if there is none, or if a log ends before the archive does: then the topic was created anew and
    uses the same offsets for other records, and one table cannot hold both.
    """
    found_at = datetime.now(UTC)
    log, known = log_now(), marks(session)
    lost = acceptable(known, log)
    before = _last_arrivals(session, lost)
    at_start = {(gap.topic, gap.partition): gap.end for gap in lost if gap.end < log.end[gap.topic, gap.partition]}
    rows = as_rows(lost, note, found_at, datetime.now(UTC), before, arrivals(at_start))
    # Positions only grow, so their sum numbers the write: the same gap is accepted once.
    version = sum((known.read_to | {(gap.topic, gap.partition): gap.end for gap in lost}).values())
    append_once(arrow(rows, ARCHIVE_GAPS.schema), ARCHIVE_GAPS, "gaps", version)
    return lost


def acceptable(known: Marks, log: Log) -> list[Gap]:
    """The gaps that a person can accept now. Raises PermanentFailure if there are none, or if a log was replaced."""
    found = gaps(known.read_to, log)
    replaced = [gap for gap in found if gap.cause is GapCause.LOG_REPLACED]
    if replaced:
        raise PermanentFailure(
            f"{', '.join(f'{gap.topic}-{gap.partition} ends at {gap.start}, the archive at {gap.end}' for gap in replaced)}: "
            "this is another log, and its offsets are in the archive already. It needs a lake of its own (DAYBREAK_BUCKET)."
        )
    if not found:
        raise PermanentFailure(
            "there is no gap to accept: every partition of the log reaches back to the archive's end"
        )
    return found


def as_rows(
    lost: Sequence[Gap], note: str, found_at: datetime, accepted_at: datetime, before: Times, after: Times
) -> list[dict[str, Any]]:
    """Rows of archive/gaps.

    The lost records arrived between the last archived record (`before`) and the first one still in the log (`after`, else
    `accepted_at`): these give `from_day` and `to_day`. `from_day` is None if no record was archived before.
    """
    rows = []
    for gap in lost:
        at = (gap.topic, gap.partition)
        rows.append(
            {
                "topic": gap.topic,
                "partition": gap.partition,
                "from": gap.start,
                "to": gap.end,
                "cause": gap.cause.value,
                "found_at": found_at,
                "accepted_at": accepted_at,
                "note": note,
                "from_day": before[at].astimezone(UTC).date() if at in before else None,
                "to_day": after.get(at, accepted_at).astimezone(UTC).date(),
            }
        )
    return rows


def _last_arrivals(session: SparkSession, lost: Sequence[Gap]) -> dict[At, datetime]:
    """Arrival of the last archived record before each gap."""
    own = F.lit(False)
    for gap in lost:
        own = own | ((F.col("topic") == gap.topic) & (F.col("partition") == gap.partition))
    millis = F.unix_millis(F.max_by("arrival", "offset")).alias("millis")
    rows = spark_tables.read(session, ARCHIVE).where(own).groupBy("topic", "partition").agg(millis).collect()
    return {(row["topic"], row["partition"]): datetime.fromtimestamp(row["millis"] / 1000, UTC) for row in rows}
