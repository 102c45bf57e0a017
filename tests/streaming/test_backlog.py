"""While the stream reads a backlog, the watermark waits for the slowest partition; a repeated micro-batch waits for the same."""

from datetime import timedelta
from math import ceil, floor
from random import Random
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from checkpoint_files import Files

from infra.kafka.places import Ends
from streaming.micro_batch import outcomes as arrivals
from streaming.positions import backlog
from streaming.positions.backlog import Backlog, is_full
from streaming.positions.log import Log
from streaming.positions.watermark import Watermark

HOUR = 3_600_000
DELAY, DAY = timedelta(minutes=10), timedelta(days=1)


def full(monkeypatch: pytest.MonkeyPatch, end: Ends, limit: int = 10) -> None:
    """Kafka ends there, and a micro-batch of `limit` records is full."""
    monkeypatch.setattr(backlog, "log_now", lambda: Log({}, end))
    monkeypatch.setattr(backlog, "settings", lambda: SimpleNamespace(max_offsets_per_trigger=limit))


def found(files: Any, batch_id: int = 7) -> frozenset[tuple[str, int]]:
    return Backlog(files).behind(batch_id, [("orders", 0, 0, 8), ("orders", 1, 4, 6), ("payments", 0, 1, 1)])


def test_behind_is_what_has_records_left(monkeypatch: pytest.MonkeyPatch) -> None:
    full(monkeypatch, {("orders", 0): 9, ("orders", 1): 6, ("payments", 0): 2})
    assert found(Files()) == {("orders", 0), ("payments", 0)}


def test_a_repeated_micro_batch_waits_for_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    files = Files()
    full(monkeypatch, {("orders", 0): 9})
    assert found(files) == {("orders", 0)}
    full(monkeypatch, {("orders", 0): 9, ("orders", 1): 99})
    assert found(files) == {("orders", 0)}
    assert found(files, batch_id=8) == {("orders", 0), ("orders", 1)}


def test_kafka_is_not_asked_unless_the_micro_batch_was_full(monkeypatch: pytest.MonkeyPatch) -> None:
    full(monkeypatch, {("orders", 0): 99}, limit=14)
    assert found(Files()) == frozenset()
    assert not is_full([("orders", 0, 0, 12)])
    # Spark rounds down: of a limit of 14 it may read 13 from one partition.
    assert is_full([("orders", 0, 0, 13)])


def test_the_watermark_waits_for_what_a_transaction_holds_back(monkeypatch: pytest.MonkeyPatch) -> None:
    files: Any = Files()
    full(monkeypatch, {("orders", 0): 9}, limit=99)
    held = frozenset({("payments", 0)})
    offsets = [("orders", 0, 0, 8), ("payments", 0, 1, 1)]
    assert Backlog(files).behind(7, offsets, held) == held
    # A repeated micro-batch waits for the same, though the transaction has ended.
    assert Backlog(files).behind(7, offsets) == held
    assert Backlog(files).behind(8, offsets) == frozenset()
    full(monkeypatch, {("orders", 0): 9}, limit=5)
    assert Backlog(files).behind(9, offsets, held) == {("orders", 0), ("payments", 0)}


def test_the_latest_time_of_each_partition_is_that_of_its_valid_rows() -> None:
    rows = [("orders", 0, 5, []), ("orders", 0, 9, ["future"]), ("orders", 1, 3, []), ("payments", 0, 1, ["key"])]
    columns = zip(*rows, strict=True)
    types = (pa.string(), pa.int32(), pa.timestamp("ms", "UTC"), pa.list_(pa.string()))
    arrays = [pa.array(list(column), type_) for column, type_ in zip(columns, types, strict=True)]
    validated = pa.table(arrays, ["topic", "partition", "event_time", "reasons"])
    assert arrivals.latest_times(validated, {("orders", 1), ("orders", 0), ("payments", 0)}) == [5, 3, None]


def test_the_watermark_waits_for_the_slowest_and_then_knows_what_was_read() -> None:
    watermark = Watermark(timedelta(), DAY)
    for largest, left, expected in [
        (8 * HOUR, [8 * HOUR, 2 * HOUR], 2 * HOUR),
        (9 * HOUR, [9 * HOUR, None], 2 * HOUR),
        (3 * HOUR, [1 * HOUR], 2 * HOUR),
        (4 * HOUR, [], 9 * HOUR),
    ]:
        watermark.saw(largest, left)
        assert watermark.at == expected


@pytest.mark.parametrize("slowest", [None, 0])
def test_it_waits_for_a_limited_time(slowest: int | None) -> None:
    """A flood of broken or ancient records may not keep every row open."""
    watermark = Watermark(timedelta(), timedelta(hours=1))
    watermark.saw(5 * HOUR, [5 * HOUR, slowest])
    assert watermark.at == 4 * HOUR


Times = list[int]


def late(topics: list[Times], limit: int, alignment: timedelta) -> int:
    """The number of late events if topics, each with its events in order, are read as Spark reads a backlog."""
    watermark, at, count = Watermark(DELAY, alignment), [0] * len(topics), 0
    while any(left := [len(times) - start for times, start in zip(topics, at, strict=True)]):
        share = min(limit / sum(left), 1)
        sizes = [ceil(share * n) if share * n < 1 else floor(share * n) for n in left]
        read = [times[start : start + n] for times, start, n in zip(topics, at, sizes, strict=True)]
        at = [start + n for start, n in zip(at, sizes, strict=True)]
        bound = watermark.at
        count += sum(time < bound for times in read for time in times) if bound is not None else 0
        behind = [times for times, n, size in zip(read, left, sizes, strict=True) if size < n]
        watermark.saw(max((max(times) for times in read if times), default=None), [max(times) for times in behind])
    return count


@pytest.mark.parametrize("seed", range(200))
def test_no_event_is_late_because_another_was_read_first(seed: int) -> None:
    chance = Random(seed)
    topics = [sorted(chance.choices(range(23 * HOUR), k=chance.randint(1, 80))) for _ in range(chance.randint(1, 4))]
    assert late(topics, chance.randint(4, 40), DAY) == 0


def test_without_alignment_a_sparse_topic_makes_the_others_late() -> None:
    dense = [minute * 60_000 for minute in range(1380)]
    sparse = [23 * HOUR]
    assert late([dense, sparse], 100, timedelta()) > 1000
    assert late([dense, sparse], 100, DAY) == 0
