"""This machine's clock is set back: later micro-batches stay later, and a stream that waits for the old time says so."""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from infra.lake import spark_tables
from infra.problems import problems
from infra.settings import settings
from streaming.clocks import BACK_ID, BACK_SECONDS, TICK, SetBack, Times, started
from streaming.progress import INGEST, PROGRESS, MicroBatch

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


@pytest.mark.parametrize(("step", "told"), [(-3600.0, 1), (-BACK_SECONDS - 1, 1), (-1.0, 0), (3600.0, 0)])
def test_a_clock_that_is_set_back_is_told_until_the_next_start(
    step: float, told: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAYBREAK_HOME", str(tmp_path))
    settings.cache_clear()
    now, clock = time.time, SetBack()
    clock.look()
    monkeypatch.setattr(time, "time", lambda: now() + step)
    clock.look()
    clock.look()
    assert [(one.id, one.mend) for one in problems(settings())] == [(BACK_ID, "daybreak restart stream")] * told
    started()
    assert problems(settings()) == []
