"""What the log no longer has for the stream is named with the way out; a stream that can go on is left alone."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from pyspark.sql import SparkSession

from infra.failures import PermanentFailure
from streaming.positions import checkpoint
from streaming.positions.checkpoint import Checkpoints
from streaming.positions.gaps import Gap, GapCause, gaps, refuse
from streaming.positions.log import Log

ORDERS, PAYMENTS = ("orders", 0), ("payments", 1)
LOG = Log({ORDERS: 10, PAYMENTS: 40}, {ORDERS: 20, PAYMENTS: 50})


@pytest.mark.parametrize(
    ("read_to", "found"),
    [
        ({}, []),
        ({ORDERS: 10, PAYMENTS: 50}, []),
        ({ORDERS: 9}, [Gap(*ORDERS, 9, 10, GapCause.RETENTION)]),
        ({PAYMENTS: 51}, [Gap(*PAYMENTS, 50, 51, GapCause.LOG_REPLACED)]),
        ({("gone", 0): 5}, []),
    ],
)
def test_a_gap_is_what_is_not_there_to_be_read(read_to: dict[tuple[str, int], int], found: list[Gap]) -> None:
    assert gaps(read_to, LOG) == found


def test_the_stream_refuses_with_partition_range_and_the_way_out() -> None:
    with pytest.raises(PermanentFailure) as refused:
        refuse(gaps({ORDERS: 15, PAYMENTS: 31}, LOG))
    assert "payments-1 [31, 40) (9 records)" in str(refused.value)
    assert "python -m streaming rebuild --accept-gap" in str(refused.value)
    assert "orders" not in str(refused.value)


def test_the_stream_goes_on_where_nothing_was_removed() -> None:
    refuse(gaps({ORDERS: 10, PAYMENTS: 51}, LOG))


@pytest.fixture
def checkpoints(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkpoints:
    monkeypatch.setattr(checkpoint, "settings", lambda: SimpleNamespace(checkpoints=str(tmp_path)))
    return Checkpoints(spark)


def test_the_stream_goes_on_behind_its_last_committed_micro_batch(checkpoints: Checkpoints, tmp_path: Path) -> None:
    assert checkpoints.resumes_at("ingest") == {}
    checkpoints.write("start", '{"orders":{"0":5}}')
    assert checkpoints.resumes_at("ingest") == {"orders": {"0": 5}}
    checkpoints.write("ingest/sources/0/0", 'v1\n{"orders":{"0":6}}')
    checkpoints.write("ingest/offsets/0", plan(7))
    assert checkpoints.resumes_at("ingest") == {"orders": {"0": 6}}
    for batch, offset in ((9, 8), (10, 9), (11, 10)):
        checkpoints.write(f"ingest/offsets/{batch}", plan(offset))
    for batch in (9, 10):
        checkpoints.write(f"ingest/commits/{batch}", "v1\n{}")
    # Spark and Hadoop leave their own small files beside them.
    (tmp_path / "ingest" / "commits" / ".99.tmp").touch()
    assert checkpoints.resumes_at("ingest") == {"orders": {"0": 9}}


def plan(offset: int) -> str:
    return f'v1\n{{"batchWatermarkMs":0,"batchTimestampMs":1}}\n{{"orders":{{"0":{offset}}}}}'
