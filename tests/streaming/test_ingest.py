"""Which offsets a micro-batch covers: what came between two of Spark's plans, in every partition."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from infra.problems import problems
from infra.settings import settings
from streaming.deduplication.dedup_index import DedupIndex
from streaming.deduplication.event_ids import Arrived
from streaming.micro_batch.ingest import Ingest
from streaming.positions import clocks
from streaming.positions.checkpoint import Planned, SourceOffsets, ranges
from streaming.positions.watermark import Watermark, millis
from streaming.tables.progress import INGEST, MicroBatch

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
START: SourceOffsets = {"orders": {"0": 3, "1": 0}}
PLANS: tuple[SourceOffsets, ...] = (
    {"orders": {"0": 5, "1": 0}, "payments": {"0": 2}},
    {"orders": {"0": 5, "1": 7, "2": 1}, "payments": {"0": 4}},
)
"""The ends of two micro-batches; a partition appears when it has its first record."""


def offsets(batch_id: int) -> list[tuple[str, int, int, int]]:
    checkpoints: Any = SimpleNamespace(
        planned=lambda query, number: Planned(NOON, PLANS[number]), started_from=lambda query: START
    )
    return ranges(checkpoints, INGEST, batch_id, PLANS[batch_id])


def test_a_micro_batch_covers_what_came_between_two_plans_of_every_partition() -> None:
    assert offsets(0) == [("orders", 0, 3, 5), ("orders", 1, 0, 0), ("payments", 0, 0, 2)]
    assert offsets(1) == [("orders", 0, 5, 5), ("orders", 1, 0, 7), ("orders", 2, 0, 1), ("payments", 0, 2, 4)]


@pytest.mark.parametrize(
    ("ahead", "follows", "count"),
    [(timedelta(0), timedelta(0), 0), (timedelta(minutes=5), timedelta(minutes=5), 0), (timedelta(hours=1), None, 1)],
)
def test_the_watermark_does_not_follow_an_event_ahead_of_this_machine(
    ahead: timedelta, follows: timedelta | None, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAYBREAK_HOME", str(tmp_path))
    ingest = Ingest.__new__(Ingest)
    ingest._backlog = SimpleNamespace(behind=lambda *_: frozenset(), waiting=0)  # type: ignore[assignment]
    ingest._recent, ingest.rate = DedupIndex(), SimpleNamespace(limit=20_000, waits=id)  # type: ignore[assignment]
    ingest.held_back = SimpleNamespace(waits=lambda offsets: frozenset())  # type: ignore[assignment]
    batch, watermark = MicroBatch(INGEST, "g", 0, NOON, {}), Watermark(timedelta(minutes=10), timedelta(days=1))
    batch.offsets = []
    event = Arrived(pa.array(["e"]), np.array([millis(NOON + ahead)]), np.array([1]))
    ingest._advance(pa.table({}), event, watermark, batch)
    assert watermark.aligned_ms == millis(NOON + (timedelta(minutes=5) if follows is None else follows))
    assert batch.max_event_time == NOON + ahead
    assert [one.id for one in problems(settings())] == [clocks.ID] * count
    clocks.started()
    assert problems(settings()) == []
