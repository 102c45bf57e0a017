"""This machine's clock is set back: later micro-batches stay later, and the stream does not wait for the old time."""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from infra.lake import spark_tables
from streaming.positions.clocks import BACK_SECONDS, TICK, SetBack, Times
from streaming.tables.progress import INGEST, PROGRESS, MicroBatch

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.mark.slow
def test_a_later_micro_batch_is_later_whatever_the_clock_says(spark: SparkSession, local_lake: Path) -> None:
    spark_tables.create(spark, PROGRESS)
    times = Times("g")
    assert times.of(NOON, 0) == NOON
    MicroBatch(INGEST, "g", 0, NOON, {}).record()
    assert times.of(NOON - HOUR, 1) == NOON + TICK
    # It died before it was done, and is repeated, now by a right clock; then by a wrong one.
    assert Times("g").of(NOON - HOUR, 1) == NOON + TICK
    MicroBatch(INGEST, "g", 1, NOON + TICK, {}).record()
    assert Times("g").of(NOON - HOUR, 1) == NOON + TICK
    again = Times("g")
    assert again.of(NOON - HOUR, 2) == NOON + 2 * TICK
    assert again.of(NOON + HOUR, 3) == NOON + HOUR
    # A rebuild is later too.
    assert Times("h").of(NOON - HOUR, 0) == NOON + 2 * TICK


@pytest.mark.parametrize(
    ("step", "waits"), [(-3600.0, True), (-BACK_SECONDS - 1, True), (-1.0, False), (3600.0, False)]
)
def test_a_clock_that_is_set_back_is_noticed_once(
    step: float, waits: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now, clock = time.time, SetBack()
    clock.look()
    monkeypatch.setattr(time, "time", lambda: now() + step)
    clock.look()
    clock.look()
    assert clock.waits is waits
    assert capsys.readouterr().err.count("this machine's clock was set back by") == waits
