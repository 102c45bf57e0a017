"""What the archive asks Kafka for, what it says that it holds, and which times it believes."""

import json
from datetime import UTC, datetime, timedelta

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from batch.archive import ARCHIVE, ARCHIVE_GAPS, _believable, _json, held
from batch.archived import behind
from infra.lake.rows import frame

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)


def test_kafka_is_asked_for_every_partition() -> None:
    ends = {("orders", 0): 5, ("orders", 1): 0, ("payments", 0): 7, ("orders", 2): 9}
    assert json.loads(_json(ends)) == {"orders": {"0": 5, "1": 0, "2": 9}, "payments": {"0": 7}}


def test_the_archive_holds_what_lies_between_its_gaps(spark: SparkSession) -> None:
    offsets = {("orders", 0): (3, 4, 7, 9), ("orders", 1): (0,), ("payments", 0): (5, 6)}
    records = [
        {"topic": topic, "partition": partition, "offset": offset}
        for (topic, partition), found in offsets.items()
        for offset in found
    ]
    # The order of acceptance is not that of the offsets; a gap may lie before the first record.
    lost = [("orders", 0, 8, 9), ("orders", 0, 5, 7), ("payments", 0, 0, 5)]
    gaps = [dict(zip(("topic", "partition", "from", "to"), one, strict=True)) for one in lost]
    assert held(frame(spark, records, ARCHIVE.schema), frame(spark, gaps, ARCHIVE_GAPS.schema)) == {
        ("orders", 0): [(3, 5), (7, 8), (9, 10)],
        ("orders", 1): [(0, 1)],
        ("payments", 0): [(5, 7)],
    }


def test_what_was_counted_need_not_be_looked_at(spark: SparkSession) -> None:
    known = {("orders", 0): (3, 7), ("orders", 1): (0, 0), ("payments", 0): (0, 9)}
    records = [{"topic": "orders", "partition": p, "offset": o} for p, o in ((0, 6), (0, 7), (0, 8), (2, 4))]
    archived = frame(spark, records, ARCHIVE.schema).where(behind({at: end for at, (_, end) in known.items()}))
    assert sorted(row["offset"] for row in archived.collect()) == [4, 7, 8]
    gap = {"topic": "orders", "partition": 0, "from": 4, "to": 5}
    assert held(archived, frame(spark, [gap], ARCHIVE_GAPS.schema), known) == {
        ("orders", 0): [(3, 4), (5, 9)],
        ("orders", 2): [(4, 5)],
        ("payments", 0): [(0, 9)],
    }


def test_a_time_that_nobody_can_believe_is_none(spark: SparkSession) -> None:
    ahead, old = NOON + timedelta(minutes=5), NOON - timedelta(days=366)
    times = [ahead, ahead + MILLISECOND, old, old - MILLISECOND]
    schema = "arrival timestamp, millis long"
    rows = [(NOON, round(time.timestamp() * 1000)) for time in times] + [(NOON, -1), (NOON, None)]
    found = spark.createDataFrame(rows, schema).select(_believable(F.col("millis")).isNotNull().alias("is_believed"))
    assert [row["is_believed"] for row in found.collect()] == [True, False, True, False, False, False]
