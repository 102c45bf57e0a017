"""Records of a schema version that a contract learned after a day was settled: the day rejected them, now they may be valid.

Data flow: settlements' definitions, archive -> the first offset of such a record per day and partition -> Touched
Run: pytest tests/batch/test_learned.py

A new schema version redoes nothing by itself. But a producer may have sent it before the contract knew it. Such a record
is treated like one that has just arrived: the days that it touches are redone. Each day is looked at once.
"""

from collections.abc import Collection, Mapping
from datetime import date, timedelta
from functools import reduce

from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F

from batch.archive.archived import in_files
from batch.truth.reach import days_after
from infra.kafka.places import At, Ends
from streaming.tables.bronze import RECORD
from streaming.validation.validate import validate
from streaming.views import CHANGELOGS, VIEWS

Learned = Mapping[date, Collection[tuple[str, int]]]
"""Per day the topics and schema versions that came after its settlement, as from `definitions.learned`."""


def before_them(session: SparkSession, learned: Learned, read_to: Mapping[date, Ends]) -> dict[date, Ends]:
    """`read_to`, but for each day and partition not beyond the first valid record of a version that the day has learned.

    Records count that lie on the day, or after it within reach of a view, and those of changelogs before it. Only files of their
    topics and days are opened.
    """
    found, after = _first(session, learned), days_after(VIEWS.values())
    ends = {day: dict(own) for day, own in read_to.items()}
    for day in learned.keys() & ends.keys():
        for other, of_topics in found.items():
            for (topic, version, partition), offset in of_topics.items():
                at = topic, partition
                counts = other in _near(day, after.get(topic, 1)) or (topic in CHANGELOGS and other < day)
                if counts and (topic, version) in learned[day] and at in ends[day]:
                    ends[day][at] = min(ends[day][at], offset)
    return ends


def _first(session: SparkSession, learned: Learned) -> dict[date, dict[tuple[str, int, int], int]]:
    """Per day of the archive: topic, schema version and partition -> the first offset of a valid record."""
    wanted = {one for own in learned.values() for one in own}
    if not wanted:
        return {}
    topics, after = {topic for topic, _ in wanted}, days_after(VIEWS.values())
    days = {topic: {near for day in learned for near in _near(day, after.get(topic, 1))} for topic in topics}
    every = {day for own in days.values() for day in own}

    def may_matter(day: date, at: At, _: int) -> bool:
        return at[0] in topics and (day in days[at[0]] or (at[0] in CHANGELOGS and day < max(every)))

    is_older = F.col("topic").isin(*CHANGELOGS) & (F.col("day") < F.lit(max(every)))
    own = in_files(session, may_matter).where(F.col("topic").isin(*topics) & (F.col("day").isin(*every) | is_older))
    records = validate(own.select(*RECORD.fieldNames(), "day")).where((F.size("reasons") == 0) & _is_one_of(wanted))
    first = records.groupBy("day", "topic", "schema_version", "partition").agg(F.min("offset").alias("first"))
    found: dict[date, dict[tuple[str, int, int], int]] = {}
    for row in first.collect():
        found.setdefault(row["day"], {})[row["topic"], row["schema_version"], row["partition"]] = row["first"]
    return found


def _is_one_of(wanted: Collection[tuple[str, int]]) -> Column:
    each = [(F.col("topic") == topic) & (F.col("schema_version") == version) for topic, version in sorted(wanted)]
    return reduce(lambda one, other: one | other, each)


def _near(day: date, after: int) -> list[date]:
    """The day, and so many of the archive after it that may hold a record that some view needs."""
    return [day + timedelta(days=n) for n in range(after + 1)]
