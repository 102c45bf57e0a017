"""A new event is compared with what silver has, in memory as far as the gate and in silver beyond it."""

from datetime import UTC, datetime
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from infra import lake
from infra.writes import append_once
from streaming.recent import Arrival, Recent, as_written, late_known
from streaming.silver import SILVER

DAY_MS = 86_400_000
START_MS = 20_500 * DAY_MS


def test_memory_knows_what_was_added_and_forgets_what_is_behind_the_gate() -> None:
    recent = Recent()
    recent.add([Arrival("a", 100, 1), Arrival("b", 200, 2)], None)
    assert recent.known([Arrival("a", 100, 9), Arrival("x", 100, 1)]) == [("a", 1)]
    recent.add([Arrival("c", 300, 3)], 200)
    assert recent.known([Arrival(name, 0, 0) for name in "abc"]) == [("b", 2), ("c", 3)]


def test_the_first_arrival_stays_what_is_remembered() -> None:
    recent = Recent()
    recent.add([Arrival("a", 100, 1)], None)
    recent.add([Arrival("a", 100, 2)], None)
    assert recent.known([Arrival("a", 100, 2)]) == [("a", 1)]


def test_a_restart_and_a_late_event_find_what_earlier_batches_wrote(spark: SparkSession, local_lake: Path) -> None:
    lake.create(spark, SILVER)
    rows = [
        ("early", START_MS, 1, "l", 0),
        ("yesterday", START_MS - DAY_MS, 2, "l", 0),
        ("recent", START_MS + 900_000, 3, "l", 1),
        ("unfinished", START_MS + 900_000, 4, "l", 2),
        ("before the rebuild", START_MS + 900_000, 5, "k", 7),
    ]
    silver = spark.createDataFrame(rows, "event_id string, ms long, content_hash long, lineage string, batch_id long")
    silver = silver.withColumn("event_time", F.timestamp_millis("ms")).withColumn("day", F.to_date("event_time"))
    empty = spark.createDataFrame([], SILVER.schema)
    append_once(
        empty.unionByName(silver.drop("ms"), allowMissingColumns=True).withColumn("late_by_ms", F.lit(0).cast("long")),
        SILVER,
        "test",
        0,
    )

    recent = Recent()
    recent.restore(spark, START_MS + 600_000, "l", 2)
    asked = [Arrival(name, 0, 0) for name, *_ in rows]
    assert recent.known(asked) == [("recent", 3), ("before the rebuild", 5)]

    late = [Arrival("early", START_MS, 0), Arrival("yesterday", START_MS - DAY_MS, 0), Arrival("never", START_MS, 0)]
    assert sorted(late_known(spark, late, "l", 2)) == [("early", 1), ("yesterday", 2)]
    assert late_known(spark, [], "l", 2) == []


def test_written_arrivals_stand_beside_judged_ones(spark: SparkSession) -> None:
    moment = datetime(2026, 1, 31, tzinfo=UTC)
    schema = "event_id string, content_hash long, written boolean, reasons array<string>, arrival timestamp"
    judged = spark.createDataFrame([("a", 2, False, [], moment)], schema)
    (row,) = (
        as_written(spark, [("a", 1), ("a", 1)], judged)
        .select("event_id", "content_hash", "written", "reasons", "arrival")
        .collect()
    )
    assert tuple(row) == ("a", 1, True, [], None)
