"""Which records a layer has not read, and why: beyond its end, in a hole of its progress, or before its beginning."""

from collections.abc import Sequence

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from batch.reconciliation.causes import Cause
from batch.reconciliation.layers import unread
from batch.reconciliation.speed_snapshot import read

LATER = 4
"""A micro-batch that was not finished when the night looked."""
# partition -> micro-batches (from, to, silver's version after it), the ranges that they make
MICRO_BATCHES: dict[int, tuple[Sequence[tuple[int, int, int]], Sequence[tuple[int, int]]]] = {
    0: ([(0, 10, 1), (10, 10, 2), (10, 25, 3)], [(0, 25)]),
    1: ([(0, 10, 1), (40, 50, 2), (50, 60, 3)], [(0, 10), (40, 60)]),
    2: ([(7, 7, 1), (7, 9, 2)], [(7, 9)]),
    3: ([(0, 10, 1), (10, 20, LATER)], [(0, 10)]),
    4: ([(0, 10, LATER)], []),
    5: ([(3, 3, 1)], [(3, 3)]),
}
# partition, offset -> why it is not read
PLACES = {
    (0, 0): None,
    (0, 24): None,
    (0, 25): Cause.NOT_READ,
    (1, 9): None,
    (1, 10): Cause.GAP,
    (1, 39): Cause.GAP,
    (1, 40): None,
    (1, 60): Cause.NOT_READ,
    (2, 6): Cause.GAP,
    (2, 7): None,
    (3, 10): Cause.NOT_READ,
    (4, 0): Cause.NOT_READ,
    (5, 2): Cause.GAP,
    (5, 3): Cause.NOT_READ,
    (99, 0): Cause.NOT_READ,
}


@pytest.fixture(scope="module")
def ranges() -> dict[tuple[str, int], list[tuple[int, int]]]:
    """What the progress of all partitions comes to; a view's own progress is none of the ingest's."""
    rows = [
        {
            "generation": "b",
            "batch_id": version,
            "offsets": [{"topic": "orders", "partition": partition, "from": start, "to": end}],
        }
        for partition, (batches, _) in MICRO_BATCHES.items()
        for start, end, version in batches
        if version < LATER
    ]
    # In whatever order the table has them.
    return read(rows[::-1])


def test_micro_batches_make_ranges(ranges: dict[tuple[str, int], list[tuple[int, int]]]) -> None:
    assert ranges == {("orders", at): list(made) for at, (_, made) in MICRO_BATCHES.items() if made}


def test_a_record_is_unread_for_a_cause(
    spark: SparkSession, ranges: dict[tuple[str, int], list[tuple[int, int]]]
) -> None:
    places = spark.createDataFrame([("orders", *place) for place in PLACES], "topic string, partition int, offset long")
    found = places.select("partition", "offset", unread(ranges).alias("cause")).collect()
    assert {(row["partition"], row["offset"]): row["cause"] for row in found} == PLACES


def test_where_nothing_was_read_everything_is_unread(spark: SparkSession) -> None:
    places = spark.createDataFrame([("orders", 0, 0)], "topic string, partition int, offset long")
    assert places.where(unread({}).isNull()).count() == 0
    assert places.select(F.first(unread({}))).collect()[0][0] == Cause.NOT_READ
