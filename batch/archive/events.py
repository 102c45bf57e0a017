"""The archive: every Kafka record, read a second time by the night, independently of the stream, and kept for ever.

Data flow: Kafka, by offset from where the archive stopped to the end at start -> archive/events
Run: python -m batch archive --date 2026-01-31
"""

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from delta.tables import DeltaTable
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from infra import problems
from infra.failpoints import point
from infra.failures import PermanentFailure
from infra.kafka.places import At, Ends, Ranges
from infra.kafka.spark_source import spark_options
from infra.kafka.topic_ids import topic_ids
from infra.lake import arrow_tables
from infra.lake.columns import column, struct
from infra.lake.tables import Table
from infra.lake.writes import append_once
from infra.settings import settings
from streaming.contracts import CONTRACTS
from streaming.encodings.as_json import json_text, with_binary
from streaming.positions import cut_off, same_log
from streaming.positions.gaps import ACCEPT, Gap, GapCause, gaps, problem, removed, unread
from streaming.positions.log import Log
from streaming.positions.same_log import OtherLog
from streaming.tables.bronze import RECORD, records
from streaming.tables.progress import RANGE
from streaming.validation.rules import LAST_MILLISECOND, is_believable

READER, SOURCE, WRITER = "archive", "archive.log", "archive"
"""Of its problems, and of its writes."""

PLACE = ("topic", "partition", "offset")
"""Where a record is in the log."""

ARCHIVE = Table(
    "archive",
    "events",
    struct(
        *RECORD.fields,
        column("event_id", "string", "Its event id; null if none could be read"),
        column("event_time", "timestamp", "Its event time; null if none could be read or it is not plausible (UTC)"),
        column("day", "date", "Day of event_time, or of arrival where event_time is null (UTC)"),
    ),
    partitioned_by=("day",),
    description="One Kafka record as the night read it from the log; kept for ever.",
)
"""Raw records. event_id and event_time are parsed from the envelope, without validation, and serve only to find records.

`day` is the event's day, or the day of arrival for a record without a plausible event time.
"""

ARCHIVE_GAPS = Table(
    "archive",
    "gaps",
    struct(
        *RANGE.fields,
        column("cause", "string", "Why it was lost: retention, before_first_read"),
        column("found_at", "timestamp", "When the gap was measured, just before it was accepted (UTC)"),
        column("accepted_at", "timestamp", "When it was accepted (UTC)"),
        column("note", "string", "The reason given by the person who accepted it; of before_first_read, what it is"),
        column("accepted_by", "string", "Who accepted it; null of before_first_read, which is nobody's loss"),
        column("from_day", "date", "Day of the last arrival before the gap (UTC); null if there was none"),
        column(
            "to_day", "date", "Day of the first arrival after the gap, or of its acceptance if there was none yet (UTC)"
        ),
    ),
    description="A range of offsets that Kafka removed before a night had read it; accepted by a person, or older than the "
    "topic's contract; never filled.",
)
"""One range of offsets [from, to) that Kafka removed before a night read it, accepted by a person.

`from_day` and `to_day`: the days of the arrivals around the gap; `from_day` is null if no record arrived before it.
"""


def archive(session: SparkSession, log: Log, read_to: Mapping[At, int]) -> int:
    """Append the log's records from `read_to` (the next offset per partition) on; returns the number of offsets read.

    A partition that `read_to` does not name is read from the log's start. Raises PermanentFailure, and keeps the problems, if
    Kafka no longer has the next offset, if the log ends before it or was cut off and written on, or if it is another log.
    """
    refuse_other_logs(read_to, log)
    _refuse(read_to, log)
    cut_off.refuse(cut_off.found(read_to, log, ARCHIVE), READER, SOURCE)
    problems.keep(settings(), SOURCE, [])
    same_log.adopt(ARCHIVE, log.ids)
    start = {at: read_to.get(at, log.first[at]) for at in log.end}
    point("archive.before")
    count = sum(log.end[at] - start[at] for at in log.end)
    if count:
        append_once(_read(session, start, log.end), ARCHIVE, WRITER, version(read_to, log))
        _take_back(session, start)
    point("archive.after")
    return count


def _take_back(session: SparkSession, start: Ends) -> None:
    """Delete what was just written of a topic that was made again meanwhile, and refuse it: its records may be of either log."""
    known = same_log.known(ARCHIVE)
    if found := same_log.others(known, topic_ids(known.keys() & {*CONTRACTS}), known.keys() & {*CONTRACTS}):
        for topic, partition in start:
            if topic in {one.topic for one in found}:
                own = (F.col("topic") == topic) & (F.col("partition") == partition)
                DeltaTable.forPath(session, ARCHIVE.path).delete(own & (F.col("offset") >= start[topic, partition]))
        _refuse_logs(found)


def version(read_to: Mapping[At, int], log: Log) -> int:
    """The number of the write: ends only grow, and so does their sum. A retry with the same ends is ignored.

    Topics that an option has turned off count too, with what was read of them; their last markers may be missing from that.
    """
    last = arrow_tables.latest(ARCHIVE).transaction_version(WRITER)
    return max(sum((dict(read_to) | log.end).values()), -1 if last is None else last + 1)


def refuse_other_logs(read_to: Mapping[At, int], log: Log) -> None:
    """Raise PermanentFailure, and keep the problem, if a topic of which something was read is another log now."""
    read = {topic for (topic, _), end in read_to.items() if end}
    found = same_log.others(same_log.known(ARCHIVE), log.ids, read & {*CONTRACTS})
    _refuse_logs(found)


def _refuse_logs(found: Sequence[OtherLog]) -> None:
    if found:
        problems.keep(settings(), SOURCE, same_log.problems(found, READER))
        same_log.refuse(found, f"the {READER}")


def _refuse(read_to: Mapping[At, int], log: Log) -> None:
    found = lost(read_to, log)
    if found:
        problems.keep(settings(), SOURCE, [problem(gap, READER, ACCEPT) for gap in found])
    for gap in found:
        if gap.cause is GapCause.LOG_REPLACED:
            raise PermanentFailure(
                f"the log of {gap.topic}-{gap.partition} ends at {gap.start}, and the archive has read up to {gap.end}: this "
                "is another log, or the topic was created anew. Point DAYBREAK_KAFKA_BOOTSTRAP at the old log, or give the "
                "new one a lake of its own (DAYBREAK_BUCKET)."
            )
    if found:
        raise PermanentFailure(
            f"{removed(found, 'a night')}. Nothing is settled. To go on without these records, and keep the gap on record, "
            f"run `{ACCEPT}`, then the night again."
        )


def lost(read_to: Mapping[At, int], log: Log) -> list[Gap]:
    """What the archive has lost. Of a topic that it reads for the first time, `read_to` has where it begins."""
    return gaps(read_to, log) + unread(read_to, log, CONTRACTS)


def held(archived: DataFrame, lost: DataFrame, known: Mapping[At, tuple[int, int]] = MappingProxyType({})) -> Ranges:
    """The offset ranges [start, end) that the archive holds: from first to last record, without the gaps `lost`.

    `lost`: rows of ARCHIVE_GAPS. `known`: per partition a range that an earlier check found complete, so that `archived`
    need not have its records.
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
    found = records(
        session.read.format("kafka")
        .options(**spark_options(settings(), CONTRACTS))
        .option("startingOffsets", _json(start))
        .option("endingOffsets", _json(end))
        .load()
    )
    return with_envelope(found)


def with_envelope(found: DataFrame) -> DataFrame:
    """Records (columns of RECORD) as rows of the archive: with event_id, event_time and day."""
    envelope = F.from_json(json_text(CONTRACTS.values()), "event_id string, event_time long", {"mode": "PERMISSIVE"})
    return (
        with_binary(found, CONTRACTS.values())
        .withColumn("envelope", envelope)
        .withColumn("event_id", F.col("envelope.event_id"))
        .withColumn("event_time", _believable(F.col("envelope.event_time")))
        .withColumn("day", F.coalesce(F.to_date("event_time"), F.to_date("arrival")))
        .select(*ARCHIVE.schema.fieldNames())
    )


def _believable(millis: Column) -> Column:
    time = F.when(millis.between(0, LAST_MILLISECOND), F.timestamp_millis(millis))
    return F.when(is_believable(time, F.col("arrival")), time)


def _json(ends: Ends) -> str:
    offsets: dict[str, dict[str, int]] = {}
    for (topic, partition), offset in ends.items():
        offsets.setdefault(topic, {})[str(partition)] = offset
    return json.dumps(offsets)
