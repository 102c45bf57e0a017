"""Which offsets a micro-batch covers: what came between two of Spark's plans, in every partition."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from streaming.checkpoint import Planned, SourceOffsets
from streaming.ingest import Ingest

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
    ingest = Ingest.__new__(Ingest)
    ingest._checkpoints = checkpoints
    return ingest._offsets(batch_id, PLANS[batch_id])


def test_a_micro_batch_covers_what_came_between_two_plans_of_every_partition() -> None:
    assert offsets(0) == [("orders", 0, 3, 5), ("orders", 1, 0, 0), ("payments", 0, 0, 2)]
    assert offsets(1) == [("orders", 0, 5, 5), ("orders", 1, 0, 7), ("orders", 2, 0, 1), ("payments", 0, 2, 4)]
