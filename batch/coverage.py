"""Coverage: which days are settled, by which run, up to which offsets, under which definitions.

Data flow: archive and coverage -> the days a night has to do; correct writes coverage last, in one commit
Run: daybreak query "SELECT day, revision, settled_at FROM reconciliation.coverage ORDER BY day"
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    DateType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from batch.archive import ARCHIVE, ARCHIVE_GAPS, Ends, Ranges, held
from batch.day import Day
from infra import lake
from infra.rows import frame
from infra.tables import Table
from infra.writes import replace_days
from streaming.views import REACH

COVERAGE = Table(
    "reconciliation",
    "coverage",
    StructType(
        [
            StructField("day", DateType()),
            StructField("revision", IntegerType()),
            StructField("run", StringType()),
            StructField("settled_at", TimestampType()),
            StructField(
                "offsets",
                ArrayType(
                    StructType(
                        [
                            StructField("topic", StringType()),
                            StructField("partition", IntegerType()),
                            StructField("to", LongType()),
                        ]
                    )
                ),
            ),
            StructField("definitions", MapType(StringType(), StringType())),
        ]
    ),
)


@dataclass(frozen=True)
class Plan:
    """What a night has to do: the days, with the revision that each will have, and the archive it stands on.

    `archived`: what it holds. `settled_by`: the definitions under which a day was settled before.
    """

    run: str
    days: tuple[Day, ...]
    revisions: Mapping[date, int]
    ends: Ends
    definitions: Mapping[str, str]
    archived: Ranges = field(default_factory=dict)
    settled_by: Mapping[date, Mapping[str, str]] = field(default_factory=dict)


def plan(session: SparkSession, day: Day, definitions: Mapping[str, str], full: bool = False) -> Plan:
    """The days to do: `day`, and every settled day that has new arrivals or older definitions since it was settled.

    A settled day without either is left alone, so a second run of a night has nothing to do. `full` redoes `day` anyway.
    The same archive, definitions and days give the same run id.
    """
    archived = lake.read(session, ARCHIVE)
    ranges = held(archived, lake.read(session, ARCHIVE_GAPS))
    now = {at: found[-1][1] for at, found in ranges.items()}
    settled = {row["day"]: row for row in lake.read(session, COVERAGE).collect()}
    stale = {
        covered
        for covered, row in settled.items()
        if dict(row["definitions"]) != dict(definitions) or covered in _arrived_since(session, row["offsets"])
    }
    todo = stale | ({day.date} if full or day.date not in settled else set())
    days = tuple(Day(found) for found in sorted(todo))
    identity = f"{sorted(now.items())}{sorted(definitions.items())}{days}"
    run = f"{day}-{hashlib.sha256(identity.encode()).hexdigest()[:8]}"
    revisions = {d.date: (settled[d.date]["revision"] + 1 if d.date in settled else 1) for d in days}
    settled_by = {covered: dict(row["definitions"]) for covered, row in settled.items()}
    return Plan(run, days, revisions, now, definitions, ranges, settled_by)


def _arrived_since(session: SparkSession, offsets: Sequence[Mapping[str, Any]]) -> set[date]:
    """Days whose events or views change by records that the archive got after these offsets."""
    covered = [(row["topic"], row["partition"], row["to"]) for row in offsets]
    archived = lake.read(session, ARCHIVE)
    newer = F.lit(True)
    for topic, partition, end in covered:
        newer = newer & ~((F.col("topic") == topic) & (F.col("partition") == partition) & (F.col("offset") < end))
    reach = F.expr(f"INTERVAL {int(REACH / timedelta(seconds=1))} SECONDS")
    found = archived.where(newer).select("day", F.to_date(F.col("event_time") - reach).alias("before"))
    return {value for row in found.distinct().collect() for value in row if value is not None}


def settle(session: SparkSession, done: Plan) -> None:
    """Write the coverage of every day of the plan in one commit: the moment from which gold serves their truth."""
    now = datetime.now(UTC)
    shared = {
        "run": done.run,
        "settled_at": now,
        "offsets": [
            {"topic": topic, "partition": number, "to": to} for (topic, number), to in sorted(done.ends.items())
        ],
        "definitions": list(done.definitions.items()),
    }
    rows = [{"day": day.date, "revision": done.revisions[day.date], **shared} for day in done.days]
    replace_days(frame(session, rows, COVERAGE.schema), COVERAGE, [day.date for day in done.days])
