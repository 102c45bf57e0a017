"""Freshness: how long after it happened an event is in silver, and in each view.

Data flow: silver/events, speed/progress -> seconds from event time to commit, p50 and p95
Run: daybreak freshness --minutes 10

Event time to commit time, so it holds the shop's own delay too. A view has an event when its query has finished a
micro-batch that read the silver commit which holds it.
"""

from bisect import bisect_right
from dataclasses import dataclass
from datetime import datetime
from statistics import quantiles
from typing import Any

import pyarrow.compute as pc

from infra.drain import INGEST
from infra.reader import read
from infra.settings import Settings


@dataclass(frozen=True)
class Freshness:
    """Seconds from event time to visible; `events` were measured."""

    where: str
    events: int
    p50: float
    p95: float


def freshness(s: Settings, since: datetime, until: datetime) -> list[Freshness]:
    """Of on-time events with event times in [since, until): in silver first, then in each view."""
    measured = (pc.field("event_time") >= since) & (pc.field("event_time") < until) & (pc.field("late_by_ms") == 0)
    events = read(s, "silver/events", ["event_time", "lineage", "batch_id"], where=measured).to_pylist()
    progress = read(s, "speed/progress").to_pylist()
    batches = {(row["lineage"], row["batch_id"]): row for row in progress if row["query"] == INGEST}
    placed = [(event["event_time"], batches.get((event["lineage"], event["batch_id"]))) for event in events]
    in_silver = [(at, batch) for at, batch in placed if batch is not None]
    found = [_summary("silver", [(batch["committed_at"] - at).total_seconds() for at, batch in in_silver])]
    for view in sorted({row["query"] for row in progress} - {INGEST}):
        found.append(_summary(f"speed/{view}", _in_view(in_silver, [row for row in progress if row["query"] == view])))
    return found


def _in_view(in_silver: list[tuple[datetime, dict[str, Any]]], said: list[dict[str, Any]]) -> list[float]:
    ordered = sorted((row for row in said if row["silver_version"] is not None), key=lambda row: row["committed_at"])
    reached = [row["silver_version"] for row in ordered]
    seconds = []
    for at, batch in in_silver:
        first = bisect_right(reached, dict(batch["versions"])["silver/events"])
        if first < len(ordered):
            seconds.append((ordered[first]["committed_at"] - at).total_seconds())
    return seconds


def _summary(where: str, seconds: list[float]) -> Freshness:
    if len(seconds) < 2:
        return Freshness(where, len(seconds), float("nan"), float("nan"))
    cuts = quantiles(seconds, n=100)
    return Freshness(where, len(seconds), cuts[49], cuts[94])
