"""Work done at once: results in order, every failure seen, and no row lost where frames are dealt out."""

import threading
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

from infra.lake import at_once as module
from infra.lake.at_once import at_once, dealt, few_of, united


def numbers(spark: SparkSession, first: int, number: int) -> DataFrame:
    return spark.range(first, first + number, 1, 3)


def test_results_come_in_the_order_of_the_items(spark: SparkSession) -> None:
    seen: set[int] = set()
    barrier = threading.Barrier(2, timeout=60)

    def work(item: int) -> int:
        barrier.wait()
        seen.add(threading.get_ident())
        return item * spark.range(10).count()

    assert at_once(spark, work, range(4)) == [0, 10, 20, 30]
    assert len(seen) == 2


def test_a_failure_is_raised_when_what_has_begun_is_done(spark: SparkSession) -> None:
    done, begun, failing = [], threading.Event(), threading.Event()

    def work(item: int) -> None:
        if item == 0:
            assert begun.wait(60)
            failing.set()
            raise ValueError("the first")
        begun.set()
        assert failing.wait(60)
        done.append(spark.range(item).count())

    with pytest.raises(ValueError, match="the first"):
        at_once(spark, work, range(500))
    before = list(done)
    assert 1 in before
    assert len(before) < 499
    spark.range(1).count()
    assert done == before


@pytest.mark.slow
def test_no_thread_of_the_jvm_is_left_behind(spark: SparkSession) -> None:
    def of_connections() -> int:
        jvm: Any = spark.sparkContext._jvm
        running = jvm.java.lang.Thread.getAllStackTraces().keySet().toArray()
        return sum(one.getName().startswith("Thread-") for one in running)

    before = of_connections()
    for _ in range(10):
        at_once(spark, lambda item: spark.range(item).count(), range(4))
    assert of_connections() < before + 5


@pytest.mark.parametrize("number", [0, 1, 2, 5])
def test_every_item_is_dealt_to_one_hand(spark: SparkSession, number: int) -> None:
    hands = dealt(spark, range(number))
    assert all(hands)
    assert sorted(item for hand in hands for item in hand) == list(range(number))


def test_rows_of_all_frames_are_in_one_table(spark: SparkSession) -> None:
    frames = [numbers(spark, 10 * place, 4) for place in range(5)]
    found = few_of(spark, frames)
    assert isinstance(found, pa.Table)
    assert sorted(found["id"].to_pylist()) == sorted(row["id"] for row in united(frames).collect())


@pytest.mark.parametrize("sizes", [(4, 4), (9, 1), (3, 4, 4, 3)], ids=str)
def test_too_many_rows_for_the_driver_stay_a_frame(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, sizes: tuple[int, ...]
) -> None:
    monkeypatch.setattr(module, "FEW_TEXTS", 7)
    frames = [numbers(spark, 100 * place, size) for place, size in enumerate(sizes)]
    found = few_of(spark, frames)
    assert isinstance(found, DataFrame)
    assert found.count() == sum(sizes)
