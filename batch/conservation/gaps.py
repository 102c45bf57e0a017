"""Gaps of the archive: what a person accepts that Kafka removed unread, and what was gone before a topic was first read.

Data flow: Marks, Log -> archive/gaps; the next night continues after the gaps
Run: daybreak gaps --accept --note "Kafka's disk was full"
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pyarrow.compute as pc
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from batch.archive.events import ARCHIVE, ARCHIVE_GAPS, READER, SOURCE, lost, refuse_other_logs
from batch.conservation.check import Marks, marks
from infra import problems
from infra.failures import PermanentFailure
from infra.kafka.places import At
from infra.lake import arrow_tables, spark_tables
from infra.lake.rows import arrow
from infra.lake.writes import append_once
from infra.settings import settings
from streaming.positions.gaps import ACCEPT, BRONZE_GAPS, Gap, GapCause, problem, unread
from streaming.positions.log import Log, arrivals, log_now
from streaming.positions.resume import LOST

Times = Mapping[At, datetime]
"""A time per topic and partition."""


OLDER_CAUSE = GapCause.BEFORE_FIRST_READ.value
OLDER = "the topic is older than its contract here: this was gone when a night read it for the first time"
"""The note of such a gap."""


def accept(session: SparkSession, note: str, by: str) -> list[Gap]:
    """Write a row for every partition whose log begins after the archive's end; returns the gaps.

    Raises PermanentFailure if there is none, or if a log ends before the archive does: then the topic was created anew and
    uses the same offsets for other records, and one table cannot hold both.
    """
    found_at = datetime.now(UTC)
    log, known = log_now(), marks(session)
    refuse_other_logs(known.read_to, log)
    begin(session, known, log)
    told = [one.id for one in problems.of_source(settings(), LOST)]
    found = lost(known.read_to, log)
    # The archive may have read what the stream has lost.
    gone = acceptable(known, log) if found or not told else []
    _write(session, known, log, gone, note, found_at, by)
    problems.mended(settings(), LOST, told)
    problems.mended(settings(), SOURCE, [problem(gap, READER, ACCEPT).id for gap in gone])
    return gone


def begin(session: SparkSession, known: Marks, log: Log) -> None:
    """Put on record, and in `known`, what was gone of a topic when it was first read, by a night or by the stream before it.

    It is nobody's loss. What the stream has found of it, or could have, and a night has not, is one.
    """
    asked = {topic for topic, _ in (*known.read_to, *known.streamed)}
    at_start = arrow_tables.rows(BRONZE_GAPS, ("topic", "partition", "to", "cause"), pc.field("from") == 0)
    of_stream = {(row["topic"], row["partition"]): row["to"] for row in at_start if row["cause"] == OLDER_CAUSE}
    lost_at_start = {(row["topic"], row["partition"]) for row in at_start if row["cause"] != OLDER_CAUSE}
    for at in lost_at_start - (known.archived.keys() | known.gaps.keys() | known.conserved.keys()):
        # The stream began behind a loss, and the archive has the same one.
        known.begun.pop(at, None)
    older = [
        replace(
            gap, end=min(gap.end, of_stream.get((gap.topic, gap.partition), gap.end)), cause=GapCause.BEFORE_FIRST_READ
        )
        for gap in unread(known.read_to, log, asked)
        if gap.cause is GapCause.BEFORE_FIRST_READ or (gap.topic, gap.partition) in of_stream
    ]
    if older:
        _write(session, known, log, older, OLDER, datetime.now(UTC))
        for gap in older:
            known.gaps.setdefault((gap.topic, gap.partition), []).append((gap.start, gap.end))


def _write(
    session: SparkSession,
    known: Marks,
    log: Log,
    lost: Sequence[Gap],
    note: str,
    found_at: datetime,
    by: str | None = None,
) -> None:
    if not lost:
        return
    before = _last_arrivals(session, lost)
    at_start = {(gap.topic, gap.partition): gap.end for gap in lost if gap.end < log.end[gap.topic, gap.partition]}
    rows = as_rows(lost, note, found_at, datetime.now(UTC), before, arrivals(at_start), by)
    # Positions only grow, so their sum numbers the write: the same gap is accepted once.
    version = sum((known.read_to | {(gap.topic, gap.partition): gap.end for gap in lost}).values())
    append_once(arrow(rows, ARCHIVE_GAPS.schema), ARCHIVE_GAPS, "gaps", version)


def acceptable(known: Marks, log: Log) -> list[Gap]:
    """The gaps that a person can accept now. Raises PermanentFailure if there are none, or if a log was replaced."""
    found = lost(known.read_to, log)
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
    lost: Sequence[Gap],
    note: str,
    found_at: datetime,
    accepted_at: datetime,
    before: Times,
    after: Times,
    by: str | None = None,
) -> list[dict[str, Any]]:
    """Rows of archive/gaps; `by`: who accepted them, None if nobody had to.

    The lost records arrived between the last archived record (`before`) and the first one still in the log (`after`, else
    `accepted_at`): these give `from_day` and `to_day`. `from_day` is None if no record was archived before. Before a topic was
    first read, nobody counts on its records: then it is the day of the first one.
    """
    rows = []
    for gap in lost:
        at = (gap.topic, gap.partition)
        to_day = after.get(at, accepted_at).astimezone(UTC).date()
        last_day = before[at].astimezone(UTC).date() if at in before else None
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
                "accepted_by": by,
                "from_day": to_day if gap.cause is GapCause.BEFORE_FIRST_READ else last_day,
                "to_day": to_day,
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
