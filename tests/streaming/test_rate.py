"""A micro-batch's records are as many as fit into its bytes; a record too large for its share comes without them."""

from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from infra.lake.rows import frame
from streaming.micro_batch import rate
from streaming.micro_batch.rate import LARGEST, SIZE, SMALLEST, AnotherRate, Rate, sized
from streaming.tables.bronze import RECORD

MB = 1 << 20


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> Rate:
    """At most 20,000 records and 64 MB."""
    monkeypatch.setattr(
        rate, "settings", lambda: SimpleNamespace(max_offsets_per_trigger=20_000, max_mb_per_trigger=64)
    )
    java = SimpleNamespace(setProperty=lambda name, value: None)
    session: Any = SimpleNamespace(_jvm=SimpleNamespace(java=SimpleNamespace(lang=SimpleNamespace(System=java))))
    return Rate(session)


def test_a_usual_micro_batch_changes_nothing(own: Rate) -> None:
    own.begin(1, False)
    assert own.bound(100) == 64 * MB // 100
    own.check(1, 100, 50_000, False)
    own.begin(2, False)
    assert (own.limit, own.ended_at) == (20_000, None)


def test_too_many_bytes_are_planned_again_with_fewer_records(own: Rate) -> None:
    with pytest.raises(AnotherRate, match="micro-batch 7"):
        own.check(7, 1_200, 1_140 * MB, False)
    assert (own.limit, own.ended_at) == (33, 7)
    own.begin(7, False)
    own.check(7, 33, 31 * MB, False)
    assert own.limit == 33


def test_what_is_half_written_stays_as_it_was_planned(own: Rate) -> None:
    own.check(7, 1_200, 1_140 * MB, True)
    assert own.limit == 20_000


def test_one_record_is_read_however_large_it_is(own: Rate) -> None:
    own.check(7, 1, 900 * MB, False)
    assert own.ended_at is None


def test_the_rate_rises_when_there_is_room_again(own: Rate) -> None:
    with pytest.raises(AnotherRate):
        own.check(7, 1_200, 1_140 * MB, False)
    own.check(8, 5, 2_000, False)
    with pytest.raises(AnotherRate):
        own.begin(9, False)
    assert (own.limit, own.ended_at) == (20_000, 9)


def careful(monkeypatch: pytest.MonkeyPatch) -> Rate:
    """Of a stream whose memory has been full."""
    monkeypatch.setattr(
        rate, "settings", lambda: SimpleNamespace(max_offsets_per_trigger=20_000, max_mb_per_trigger=64)
    )
    java = SimpleNamespace(setProperty=lambda name, value: None)
    session: Any = SimpleNamespace(_jvm=SimpleNamespace(java=SimpleNamespace(lang=SimpleNamespace(System=java))))
    return Rate(session, was_full=True)


def test_after_a_full_memory_records_come_singly_until_they_are_small(monkeypatch: pytest.MonkeyPatch) -> None:
    own = careful(monkeypatch)
    assert own.at_once == 1
    with pytest.raises(AnotherRate):
        own.check(7, 250, 1_000 * MB, False)
    own.begin(7, False)
    own.check(7, 8, 32 * MB, False)
    own.begin(8, False)
    assert (own.limit, own.at_once) == (8, 1)
    own.check(8, 8, 2_000, False)
    with pytest.raises(AnotherRate):
        own.begin(9, False)
    assert (own.limit, own.at_once) == (20_000, 250)
    own.begin(9, False)


def test_one_micro_batch_was_too_much_and_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is as many records as ever, of a usual size: then it was something else, and the client may be quick again."""
    own = careful(monkeypatch)
    own.begin(7, True)
    own.check(7, 20_000, 10 * MB, True)
    with pytest.raises(AnotherRate):
        own.begin(8, False)
    assert (own.limit, own.at_once) == (20_000, 250)


def test_too_many_bytes_take_fewer_records_at_once(own: Rate) -> None:
    with pytest.raises(AnotherRate):
        own.check(7, 1_200, 1_140 * MB, False)
    assert own.at_once == own.limit == 33


def test_far_behind_a_micro_batch_is_larger_and_stays_so(own: Rate) -> None:
    for number, (waiting, limit) in enumerate([(499_999, 20_000), (500_000, 40_000), (0, 40_000), (30_000, 40_000)]):
        own.waits(waiting)
        if limit != own.limit:
            with pytest.raises(AnotherRate):
                own.begin(number, False)
        own.begin(number, False)
        assert own.limit == limit
        own.check(number, limit, 10 * MB, False)


def test_far_behind_what_is_too_large_stays_small(own: Rate) -> None:
    with pytest.raises(AnotherRate):
        own.check(7, 1_200, 1_140 * MB, False)
    own.waits(600_000)
    own.begin(7, False)
    own.check(7, 33, 31 * MB, False)
    assert own.limit == 33


def test_executors_that_see_no_limit_double_nothing(own: Rate, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a cluster both reads give every record whole."""
    monkeypatch.setattr(own, "is_begun", lambda batch: False)
    sizes = [10, 20_000_000, 10, 30_000_000]
    every = pa.table({"offset": range(4), SIZE: sizes, "value": ["small", "large", "small", "large"]})
    batch = SimpleNamespace(batch_id=1, offsets=[("orders", 0, 0, 4)])
    found: Any = own.read(SimpleNamespace(toArrow=lambda: every), batch)  # type: ignore[arg-type]
    assert sorted(found["offset"].to_pylist()) == [0, 1, 2, 3]
    assert found["value"].to_pylist().count("large") == 2


@pytest.mark.slow
def test_a_large_record_comes_with_its_size_and_without_bytes(spark: SparkSession) -> None:
    headers = [{"key": "trace", "value": b"12345"}]
    rows = [
        {"topic": "orders", "partition": 0, "offset": n, "key": b"k", "value": value, "headers": given}
        for n, (value, given) in enumerate([(b"x" * 99, None), (b"x" * 100, None), (None, headers), (b"", None)])
    ]
    found = sized(frame(spark, rows, RECORD))
    java = spark._jvm.java.lang.System  # type: ignore[union-attr]

    def read(largest: int | None) -> list[tuple[int, bool]]:
        java.clearProperty(LARGEST) if largest is None else java.setProperty(LARGEST, str(largest))
        return [(row[SIZE], row["key"] is not None) for row in found.orderBy("offset").collect()]

    assert read(100) == [(100, True), (101, False), (11, True), (1, True)]
    # The same plan, another limit.
    assert read(10) == [(100, False), (101, False), (11, False), (1, True)]
    assert read(None) == [(100, True), (101, True), (11, True), (1, True)]


@pytest.mark.slow
def test_only_what_was_cut_is_read_again(spark: SparkSession, own: Rate, monkeypatch: pytest.MonkeyPatch) -> None:
    """One large record among many must not decode them all a second time."""
    own = Rate(spark)
    monkeypatch.setattr(own, "is_begun", lambda batch: False)
    monkeypatch.setattr(own, "_bytes", 1_000)
    rows = [
        {"topic": "orders", "partition": 0, "offset": n, "key": b"k", "value": b"x" * (400 if n == 5 else 9)}
        for n in range(20)
    ]
    records = sized(frame(spark, rows, RECORD))
    counted = []

    class Counting:
        def toArrow(self) -> Any:  # noqa: N802
            found = records.toArrow()
            counted.append(found.num_rows)
            return found

    batch = SimpleNamespace(batch_id=1, offsets=[("orders", 0, 0, 20)])
    found: Any = own.read(Counting(), batch)  # type: ignore[arg-type]
    assert counted == [20, 1]
    assert sorted(found["offset"].to_pylist()) == list(range(20))
    assert {len(value) for value in found["value"].to_pylist()} == {9, 400}
    java = spark._jvm.java.lang.System  # type: ignore[union-attr]
    for name in (SMALLEST, LARGEST):
        java.clearProperty(name)
