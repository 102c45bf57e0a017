"""An event needs the delay with which the watermark would have let it in: compared with the watermark, batch by batch."""

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, NamedTuple

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from batch.curve.lateness import batch_frontiers, log_frontiers, required_delay_seconds
from streaming.positions.watermark import Watermark

pytestmark = pytest.mark.slow

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
NOON_MS = round(NOON.timestamp() * 1000)
AT = ("topic", "partition", "offset")
RECORDS = "topic string, partition int, offset long, arrival timestamp, event_ms long, moves boolean"


class Record(NamedTuple):
    """One record in order of arrival; `moves` is false for one that is no valid event."""

    topic: str
    partition: int
    offset: int
    arrival: datetime
    event_ms: int
    moves: bool = True


def shop(seed: int, number: int = 400) -> list[Record]:
    """Records of two topics, in order of arrival: most in order, some late by up to hours, some at one instant."""
    rng = Random(seed)
    offsets: dict[tuple[str, int], int] = {}
    found, now = [], NOON
    for _ in range(number):
        now += timedelta(milliseconds=rng.choice((0, 1, 300, 2_500)))
        late_ms = rng.choice((0, 0, 0, rng.randrange(2_000), rng.randrange(10_000_000)))
        at = (rng.choice(("orders", "payments")), rng.randrange(2))
        offsets[at] = offsets.get(at, -1) + 1
        event_ms = round(now.timestamp() * 1000) - late_ms
        found.append(Record(*at, offsets[at], now, event_ms, rng.random() > 0.05))
    # At one instant the order is that of topic, partition and offset.
    return sorted(found, key=lambda one: (one.arrival, *one[:3]))


def batched(records: list[Record], size: int) -> list[list[Record]]:
    """So many records at a time."""
    return [records[start : start + size] for start in range(0, len(records), size)]


def late_with(records: list[Record], size: int, delay: timedelta) -> set[tuple[Any, ...]]:
    """What a stream with this delay marks late if it reads so many records at a time."""
    watermark, late = Watermark(delay, timedelta()), set()
    for batch in batched(records, size):
        late |= {one[:3] for one in batch if watermark.at is not None and one.event_ms < watermark.at}
        watermark.saw(max((one.event_ms for one in batch if one.moves), default=None))
    return late


def with_waits(spark: SparkSession, records: list[Record]) -> dict[tuple[Any, ...], int]:
    """The waits by topic, partition and offset, from records in any order."""
    shuffled = Random(1).sample(records, len(records))
    frame = spark.createDataFrame(shuffled, RECORDS)
    found = frame.join(log_frontiers(frame), list(AT))
    rows = found.select(*AT, required_delay_seconds(F.col("frontier_ms"), F.col("event_ms")).alias("wait")).collect()
    assert len(rows) == len(records)
    return {tuple(row)[:3]: row["wait"] for row in rows}


@pytest.mark.parametrize("seed", [1, 2])
def test_a_delay_covers_the_waits_that_the_watermark_lets_in(spark: SparkSession, seed: int) -> None:
    records = shop(seed)
    waits = with_waits(spark, records)
    some = sorted(set(waits.values()))
    assert len(some) > 50
    for seconds in (0, 1, 2, 10, 600, *some[:: len(some) // 5], some[-1]):
        late = late_with(records, 1, timedelta(seconds=seconds))
        assert {at for at, wait in waits.items() if wait > seconds} == late, seconds
    assert late == set(), "the longest wait covers everything"


def test_larger_micro_batches_lose_no_more(spark: SparkSession) -> None:
    records = shop(3)
    waits = with_waits(spark, records)
    for seconds in (0, 60, 600):
        before = {at for at, wait in waits.items() if wait > seconds}
        for size in (1, 2, 8, 64, len(records)):
            late = late_with(records, size, timedelta(seconds=seconds))
            assert late <= before
            # Each size divides the next, so its batches lie within the next one's.
            before = late
        assert before == set(), "in one micro-batch nothing is late"


@pytest.mark.parametrize("size", [1, 7, 50])
def test_as_read_a_delay_covers_what_the_stream_did_with_it(spark: SparkSession, size: int) -> None:
    records = shop(4)
    batches = batched(records, size)
    progress, of_batch = [], []
    for number, batch in enumerate(batches):
        # A rebuild begins a new generation, whose batches count from 0 again.
        at = ("a", number) if number < len(batches) // 2 else ("b", number - len(batches) // 2)
        largest = max((one.event_ms for one in batch if one.moves), default=None)
        progress.append((*at, None if largest is None else NOON + timedelta(milliseconds=largest - NOON_MS)))
        of_batch += [(*at, *one[:3], one.event_ms) for one in batch]
    frontiers = batch_frontiers(
        spark.createDataFrame(progress, "generation string, batch_id long, aligned_event_time timestamp")
    )
    read = spark.createDataFrame(
        of_batch, "generation string, batch_id long, topic string, partition int, offset long, event_ms long"
    ).join(frontiers, ["generation", "batch_id"])
    rows = read.select(*AT, required_delay_seconds(F.col("frontier_ms"), F.col("event_ms")).alias("wait")).collect()
    for seconds in (0, 1, 600):
        late = late_with(records, size, timedelta(seconds=seconds))
        assert {tuple(row)[:3] for row in rows if row["wait"] > seconds} == late


def test_a_wait_is_rounded_up_to_the_second_that_suffices(spark: SparkSession) -> None:
    def wait(frame: DataFrame) -> list[int]:
        return [row[0] for row in frame.select(required_delay_seconds(F.col("frontier"), F.col("event"))).collect()]

    cases = {(None, 5): 0, (5, 5): 0, (4, 5): 0, (6, 5): 1, (1005, 5): 1, (1006, 5): 2}
    assert wait(spark.createDataFrame(list(cases), "frontier long, event long")) == list(cases.values())
