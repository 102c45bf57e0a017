"""A late event is looked up in silver: found wherever it is, by file, however its time is spread."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from infra.lake import spark_tables
from infra.lake.arrow_tables import files, latest
from infra.lake.writes import append_once
from streaming.deduplication.event_ids import Arrived
from streaming.deduplication.late_duplicates import LateIndex, may_hold
from streaming.tables.silver import SILVER

START = datetime(2026, 1, 1, 12, tzinfo=UTC)
DAYS = 40


def millis(at: datetime) -> int:
    return round(at.timestamp() * 1000)


def at(day: int) -> datetime:
    return START + timedelta(days=day)


@pytest.fixture
def silver(spark: SparkSession, local_lake: Path) -> None:
    """An event a day in batch 0 of generation l, and one more on the last day in batch 1."""
    spark_tables.create(spark, SILVER)
    rows = [{"event_id": f"e{day}", "event_time": at(day), "content_hash": day, "batch_id": 0} for day in range(DAYS)]
    rows.append({"event_id": "new", "event_time": at(0), "content_hash": -1, "batch_id": 1})
    for number in range(2):
        own = [
            {**row, "day": row["event_time"].date(), "late_by_ms": 0, "generation": "l"}
            for row in rows
            if row["batch_id"] == number
        ]
        append_once(pa.Table.from_pylist(own), SILVER, "test", number)


Late = tuple[str, int, int]
"""Id, event time (epoch milliseconds), hash of the content."""


def known(*late: Late, batch_id: int = 9) -> dict[str, int]:
    ids, times, contents = zip(*late, strict=True) if late else ((), (), ())
    arrived = Arrived(pa.array(ids, pa.string()), np.array(times, np.int64), np.array(contents, np.int64))
    return dict(LateIndex(files(SILVER), lambda rows: rows).known(latest(SILVER), arrived, "l", batch_id))


def test_late_events_find_what_they_repeat_however_their_times_are_spread(silver: None) -> None:
    late = [(f"e{day}", millis(at(day)), 99) for day in range(0, DAYS, 2)]
    assert known(*late, ("never", millis(at(3)), 0)) == {f"e{day}": day for day in range(0, DAYS, 2)}


def test_another_time_is_no_repetition_for_the_stream(silver: None) -> None:
    assert known(("e3", millis(at(3)) + 1, 99)) == {}


def test_a_repeated_batch_does_not_find_itself(silver: None) -> None:
    assert known(("new", millis(at(0)), -1), batch_id=1) == {}
    assert known(("new", millis(at(0)), -1), batch_id=2) == {"new": -1}


def test_only_files_that_may_hold_a_time_are_read(silver: None) -> None:
    times = np.array([millis(at(3)), millis(at(5)) + 3_600_000], dtype="int64")
    assert len(may_hold(latest(SILVER), times)) == 1


def test_without_late_events_nothing_is_read(silver: None) -> None:
    assert known() == {}
