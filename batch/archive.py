"""The archive: every Kafka record again, read by the night itself, kept for ever.

Data flow: Kafka, by offset from where the archive stopped to the end at start -> archive/events
Run: python -m batch archive --date 2026-01-31
"""

import json
from collections.abc import Mapping
from types import MappingProxyType

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from infra.failpoints import point
from infra.failures import PermanentFailure
from infra.kafka.places import At, Ends, Ranges
from infra.lake.columns import column, struct
from infra.lake.tables import Table
from infra.lake.writes import append_once
from infra.settings import settings
from streaming.bronze import RECORD, records
from streaming.contracts import CONTRACTS
from streaming.gaps import GapCause, gaps, removed
from streaming.log import Log
from streaming.progress import RANGE
from streaming.rules import AHEAD, LAST_MILLISECOND, OLDEST

ARCHIVE = Table(
    "archive",
    "events",
    struct(
        *RECORD.fields,
        column("event_id", "string", "Its event id, where one could be read"),
        column("event_time", "timestamp", "Its event time, where one could be read (UTC)"),
        column("day", "date", "Day of the event time, or of the arrival where no believable time is named (UTC)"),
    ),
    partitioned_by=("day",),
    description="One Kafka record, read again by the night; kept for ever.",
)
"""Raw records; event_id and event_time are read from the envelope where it can be, only to find records by.

`day` is the event's day, or the day of arrival for a record that names no believable time.
"""

ARCHIVE_GAPS = Table(
    "archive",
    "gaps",
    struct(
        *RANGE.fields,
        column("cause", "string", "Why it was lost: retention"),
        column("found_at", "timestamp", "When the log was read to accept it (UTC)"),
        column("accepted_at", "timestamp", "When it was accepted (UTC)"),
        column("note", "string", "What the person who accepted it wrote"),
        column("from_day", "date", "Day of the last arrival before it (UTC); null if there was none"),
        column(
            "to_day", "date", "Day of the first arrival behind it, or of its acceptance if there was none yet (UTC)"
        ),
    ),
    description="A range of offsets that Kafka removed before a night had read it; accepted by a person, never filled.",
)
"""One range of offsets [from, to) that the log lost before a night read it, accepted by a person.

`from_day` and `to_day`: the days of the arrivals around it; null `from_day` where nothing came before.
"""


def archive(session: SparkSession, log: Log, read_to: Mapping[At, int]) -> int:
    """Append what the log has behind `read_to`; returns the number of offsets read.

    A partition that `read_to` does not have is read from the log's start: what came before is history before Daybreak.
    Raises PermanentFailure if the log does not hold what comes next.
    """
    _refuse(read_to, log)
    start = {at: read_to.get(at, log.first[at]) for at in log.end}
    point("archive.before")
    count = sum(log.end[at] - start[at] for at in log.end)
    if count:
        # Ends only grow, so their sum numbers the write: a repeated one is ignored, a longer one is not.
        append_once(_read(session, start, log.end), ARCHIVE, "archive", sum(log.end.values()))
    point("archive.after")
    return count


def _refuse(read_to: Mapping[At, int], log: Log) -> None:
    found = gaps(read_to, log)
    for gap in found:
        if gap.cause is GapCause.LOG_REPLACED:
            raise PermanentFailure(
                f"the log of {gap.topic}-{gap.partition} ends at {gap.start}, before the archive's {gap.end}: another log?"
            )
    if found:
        raise PermanentFailure(
            f"{removed(found, 'a night')}. Nothing is settled. To go on without them, as a gap that stays named, run "
            '`daybreak gaps --accept --note "why"`, then the night again.'
        )


def behind(ends: Mapping[At, int]) -> Column:
    """Over topic, partition, offset: is it at or behind the end of its partition, or in one that has no end?"""
    newer = F.lit(True)
    for (topic, partition), end in ends.items():
        own = (F.col("topic") == topic) & (F.col("partition") == partition)
        newer = newer & ~(own & (F.col("offset") < end))
    return newer


def held(archived: DataFrame, lost: DataFrame, known: Mapping[At, tuple[int, int]] = MappingProxyType({})) -> Ranges:
    """What is in the archive: from its first record to its last, but for the gaps `lost` (rows of ARCHIVE_GAPS).

    `known`: per partition a range that is in it for certain, so that `archived` need not have its records.
    """
    at = ["topic", "partition"]
    offset = F.col("offset")
    found = archived.groupBy(*at).agg(F.min(offset).alias("first"), (F.max(offset) + 1).alias("end"))
    bounds = {(row["topic"], row["partition"]): (row["first"], row["end"]) for row in found.collect()}
    for place, (first, end) in known.items():
        newer = bounds.get(place, (first, end))
        bounds[place] = (min(first, newer[0]), max(end, newer[1]))
    holes: Ranges = {}
    for row in lost.select(*at, "from", "to").collect():
        holes.setdefault((row["topic"], row["partition"]), []).append((row["from"], row["to"]))
    ranges: Ranges = {}
    for place, (first, end) in bounds.items():
        holes_here = sorted(holes.get(place, []))
        starts = [first, *(end for _, end in holes_here)]
        stops = [*(start for start, _ in holes_here), end]
        between = zip(starts, stops, strict=True)
        ranges[place] = [(start, stop) for start, stop in between if start < stop]
    return {place: found for place, found in ranges.items() if found}


def _read(session: SparkSession, start: Ends, end: Ends) -> DataFrame:
    s = settings()
    found = records(
        session.read.format("kafka")
        .option("kafka.bootstrap.servers", s.kafka_bootstrap)
        .options(**s.kafka_spark)
        .option("subscribe", ",".join(CONTRACTS))
        .option("startingOffsets", _json(start))
        .option("endingOffsets", _json(end))
        .option("includeHeaders", "true")
        .option("failOnDataLoss", "true")
        .load()
    )
    return with_envelope(found)


def with_envelope(found: DataFrame) -> DataFrame:
    """Records (columns of RECORD) as the archive keeps them: with what it finds them by."""
    text = F.col("value").cast("string")
    envelope = F.from_json(text, "event_id string, event_time long", {"mode": "PERMISSIVE"})
    return (
        found.withColumn("envelope", envelope)
        .withColumn("event_id", F.col("envelope.event_id"))
        .withColumn("event_time", _believable(F.col("envelope.event_time")))
        .withColumn("day", F.coalesce(F.to_date("event_time"), F.to_date("arrival")))
        .select(*ARCHIVE.schema.fieldNames())
    )


def _believable(millis: Column) -> Column:
    time = F.when(millis.between(0, LAST_MILLISECOND), F.timestamp_millis(millis))
    arrival = F.col("arrival")
    return F.when((time <= arrival + F.expr(AHEAD)) & (time >= arrival - F.expr(OLDEST)), time)


def _json(ends: Ends) -> str:
    offsets: dict[str, dict[str, int]] = {}
    for (topic, partition), offset in ends.items():
        offsets.setdefault(topic, {})[str(partition)] = offset
    return json.dumps(offsets)
