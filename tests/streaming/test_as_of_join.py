"""As-of joins against their plain definition, on random times that often meet."""

import random
from collections.abc import Callable

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from streaming.views.as_of_join import TIME, first_from, last_up_to, next_ones

Key = tuple[str | None, int]
ROWS = [(key, at) for key in ("a", "b", None) for at in range(12) for _ in range(2)]


def others(seed: int) -> list[tuple[str | None, int, int]]:
    """Key, time, value: of some keys several at once, of others none."""
    chance = random.Random(seed)
    return [(chance.choice(("a", "b", "c")), chance.randrange(1, 11), place) for place in range(seed)]


def found(
    spark: SparkSession, join: Callable[..., DataFrame], seed: int
) -> list[tuple[str | None, int, int | None, int | None]]:
    rows = spark.createDataFrame(ROWS, "key string, moment int")
    beside = spark.createDataFrame(others(seed), "key string, at int, value int")
    theirs = beside.select("key", F.struct(TIME, "value").alias("other"))
    joined = join(rows, "moment", theirs, "other", "key")
    assert joined.columns == ["key", "moment", "other"]
    return sorted(map(tuple, joined.select("key", "moment", f"other.{TIME}", "other.value").collect()), key=repr)


@pytest.mark.parametrize("seed", [0, 1, 9, 40])
def test_each_row_has_the_other_that_is_next_to_it(spark: SparkSession, seed: int) -> None:
    for join, best, fits in (
        (first_from, min, lambda at, moment: at >= moment),
        (last_up_to, max, lambda at, moment: at <= moment),
    ):
        expected = []
        for key, moment in ROWS:
            near = [(at, value) for own, at, value in others(seed) if own == key and fits(at, moment)]
            expected.append((key, moment, *(best(near) if near else (None, None))))
        assert found(spark, join, seed) == sorted(expected, key=repr)


def test_the_next_ones_are_the_row_and_those_behind_it(spark: SparkSession) -> None:
    rows = spark.createDataFrame([("a", at) for at in range(5)] + [("b", 9)], "key string, at int")
    each = rows.select("key", "at", next_ones(F.col("at"), 3, ("at",), "key").alias("next")).orderBy("key", "at")
    assert [row["next"] for row in each.collect()] == [[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4], [4], [9]]
