"""What the archive asks Kafka for, what it says that it holds, and which times it believes."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from batch.archive.archived import behind
from batch.archive.events import ARCHIVE, ARCHIVE_GAPS, _believable, _json, held, with_envelope
from batch.shop import captured_truth
from infra.lake.rows import frame
from streaming.contracts import CONTRACTS
from streaming.shop.contracts.shop_db import SHOP_STOCK
from streaming.tables.bronze import RECORD
from streaming.validation.validate import validate_by

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


def test_a_captured_change_is_archived_on_the_day_that_counts(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Night and check look for a change where `validate` dates it, also where the database's clock cannot be right."""
    monkeypatch.setitem(CONTRACTS, SHOP_STOCK.topic, SHOP_STOCK)
    row = {"product_id": "p-1", "warehouse": "nord", "on_hand": 5, "changed_at": "infinity"}
    away = [timedelta(0), timedelta(days=-2), timedelta(minutes=5), timedelta(days=1), timedelta(days=-367)]
    clocks = [round((NOON + one).timestamp() * 1000) for one in away]
    values = [{"op": "c", "before": None, "after": row, "source": {"lsn": 1, "ts_ms": clock}} for clock in clocks]
    records = [
        {
            "topic": SHOP_STOCK.topic,
            "partition": 0,
            "offset": offset,
            "arrival": NOON,
            "value": json.dumps(value).encode(),
        }
        | {"key": b'{"product_id":"p-1","warehouse":"nord"}'}
        for offset, value in enumerate(values)
    ]
    found = frame(spark, records, RECORD)
    archived = [row["event_time"] or row["arrival"] for row in with_envelope(found).orderBy("offset").collect()]
    judged = validate_by(found, [SHOP_STOCK]).orderBy("offset").collect()
    assert archived == [row["event_time"] for row in judged]
    assert [row["reasons"] for row in judged] == [[]] * len(clocks)
    dates = [row["event_time"].astimezone(UTC).date() for row in judged]
    arrival = round(NOON.timestamp() * 1000)
    assert [captured_truth._day(clock, arrival) for clock in clocks] == dates
    assert len(set(dates)) == 2
