"""Accept what does not add up: who, what and why becomes rows of reconciliation/losses, for ever.

Data flow: the last night's faults, counted again -> reconciliation/losses; the next night leaves these offsets out
Run: daybreak conservation --accept --note "the topic was compacted by mistake"
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from pyspark.sql import SparkSession

from batch.conservation.check import CONSERVATION, SOURCE, conserved, counted, marks
from batch.conservation.losses_table import LOSSES
from batch.conservation.offset_counts import FAULTS, OffsetCounts, Removed
from batch.conservation.offset_range import Range
from infra.failures import PermanentFailure
from infra.kafka.places import Ends
from infra.lake import arrow_tables
from infra.lake.rows import arrow
from infra.lake.writes import append_once
from infra.problems import mended
from infra.settings import settings
from streaming.positions.log import Log

MOST = 500
"""Most ranges of one fault in one partition; more are merged, and what lies between is not counted any more either."""


def accept(session: SparkSession, log: Log, note: str, by: str, removed: Removed | None = None) -> list[OffsetCounts]:
    """Accept all faults that the last nights told and that are still there; returns them.

    Only ranges that a night has found unsound are counted, so nobody accepts what nobody was told of. Raises
    PermanentFailure if there is nothing to accept.
    """
    told = told_to()
    spans = [replace(span, end=min(span.end, told[span.at])) for span in marks(session).spans(log) if span.at in told]
    found = [one for one in counted(session, spans, removed) if one.faults()] if spans else []
    if not found:
        raise PermanentFailure(
            "there is nothing to accept: every offset that a night has counted adds up, or is accepted already"
        )
    stamp = {"accepted_at": datetime.now(UTC), "accepted_by": by, "note": note}
    rows = [
        {"topic": one.span.topic, "partition": one.span.partition, "from": start, "to": end, "fault": fault, **stamp}
        for one in found
        for fault in FAULTS
        for start, end in merged(one.faulty[fault], MOST)
    ]
    # What was accepted is not found again, so the number of rows numbers the write.
    append_once(arrow(rows, LOSSES.schema), LOSSES, "losses", arrow_tables.count(LOSSES) + len(rows))
    names = [f"conservation.{fault}/{one.span.topic}-{one.span.partition}" for one in found for fault in one.faults()]
    mended(settings(), SOURCE, names)
    return found


def told_to() -> Ends:
    """The end of the last unsound range per partition, where no sound one has come as far since."""
    sound = conserved()
    told: Ends = {}
    for row in arrow_tables.rows(CONSERVATION, ["topic", "partition", "to", *FAULTS]):
        at = row["topic"], row["partition"]
        if any(row[fault] for fault in FAULTS) and row["to"] > sound.get(at, (0, 0))[1]:
            told[at] = max(row["to"], told.get(at, 0))
    return told


def merged(ranges: Sequence[Range], most: int) -> list[Range]:
    """The ranges, in order; if there are more than `most`, those with the least between them are made one."""
    if len(ranges) <= most:
        return list(ranges)
    between = sorted(range(1, len(ranges)), key=lambda n: ranges[n][0] - ranges[n - 1][1], reverse=True)
    begins = [0, *sorted(between[: most - 1])]
    ends = [*(n - 1 for n in begins[1:]), len(ranges) - 1]
    return [(ranges[first][0], ranges[last][1]) for first, last in zip(begins, ends, strict=True)]
