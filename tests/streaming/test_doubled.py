"""A rebuild removes what an earlier version read twice, and nothing else."""

from collections.abc import Sequence
from pathlib import Path

from pyspark.sql import SparkSession

from infra.lake import arrow_tables, spark_tables
from infra.lake.rows import arrow
from infra.lake.writes import append_once
from streaming.positions.doubled import read_again, remove_second_copies
from streaming.tables.bronze import BRONZE
from streaming.tables.progress import INGEST, PROGRESS

HISTORY = (
    ("g1", 0, [("orders", 0, 0, 2), ("commands", 0, 0, 3)]),
    ("g1", 1, [("orders", 0, 2, 4), ("commands", 0, 3, 5)]),
    # A rebuild without the option notes where it goes on, and the option comes back.
    ("g2", -1, [("orders", 0, 4, 4), ("commands", 0, 5, 5)]),
    ("g2", 0, [("orders", 0, 4, 6)]),
    ("g2", 1, [("orders", 0, 6, 6), ("commands", 0, 0, 4)]),
    ("g2", 2, [("orders", 0, 6, 7), ("commands", 0, 4, 7)]),
    ("g3", 0, [("orders", 0, 7, 8), ("commands", 0, 7, 8)]),
)


def filled(spark: SparkSession, history: Sequence[tuple[str, int, list[tuple[str, int, int, int]]]]) -> None:
    for table in (BRONZE, PROGRESS):
        spark_tables.create(spark, table)
    progress, rows = [], []
    for generation, batch_id, ranges in history:
        stamp = {"generation": generation, "batch_id": batch_id}
        offsets = [dict(zip(("topic", "partition", "from", "to"), one, strict=True)) for one in ranges]
        progress.append({"query": INGEST, **stamp, "offsets": offsets})
        for topic, partition, start, end in ranges:
            places = range(start, end) if batch_id >= 0 else ()
            rows += [{"topic": topic, "partition": partition, "offset": at, **stamp} for at in places]
    append_once(arrow(progress, PROGRESS.schema), PROGRESS, "tests", 1)
    append_once(arrow(rows, BRONZE.schema), BRONZE, "tests", 1)


def held() -> list[tuple[str, int, str]]:
    return sorted((row["topic"], row["offset"], row["generation"]) for row in arrow_tables.rows(BRONZE))


def test_second_copies_go_and_the_first_stay(spark: SparkSession, local_lake: Path) -> None:
    filled(spark, HISTORY)
    assert [str(one) for one in remove_second_copies(spark, [BRONZE])] == ["commands-0 [0, 5)"]
    commands = [("commands", at, "g1") for at in range(5)]
    commands += [("commands", 5, "g2"), ("commands", 6, "g2"), ("commands", 7, "g3")]
    orders = [("orders", at, "g1" if at < 4 else "g2" if at < 7 else "g3") for at in range(8)]
    assert held() == commands + orders
    remove_second_copies(spark, [BRONZE])
    assert held() == commands + orders


def test_what_was_read_once_is_left_alone(spark: SparkSession, local_lake: Path) -> None:
    filled(spark, [one for one in HISTORY if one[0] != "g2"])
    assert read_again() == []
    before = arrow_tables.latest(BRONZE).version()
    assert remove_second_copies(spark, [BRONZE]) == []
    assert arrow_tables.latest(BRONZE).version() == before
