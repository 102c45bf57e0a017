"""How far the stream is behind the log, and how long Kafka still keeps the first unread record.

Data flow: Partition (Kafka), speed/progress -> Lag per partition
Run: daybreak lag
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow.compute as pc

from infra.kafka.partitions import Partition, partitions
from infra.kafka.places import At
from infra.lake.reader import read
from infra.settings import Settings
from streaming.tables.progress import INGEST, PROGRESS

RATE_OVER = timedelta(minutes=5)
SHORT = 0.1
"""`is_short` marks a partition with less than this share of its retention left: it can still be raised in time."""


@dataclass(frozen=True)
class Lag:
    """One partition. `start` and `end` of the log, `committed`, `lag` and `lost` are in offsets.

    `lag` is `end - committed`; `lost` of it are deleted already, and `waiting` are behind a transaction that is open since
    `open_seconds` (None if there is none), so the stream may not read them yet. Kafka's own tools leave these out.
    `rate` is records per
    second that the stream has read in the last minutes. `unread_seconds` is the age of the first unread record, None if
    there is none. `hours_left` is the time until Kafka may delete that record, all of `retention_hours` if there is
    none; both are None if the topic keeps records for ever. Kafka deletes whole segments, so it may delete later, or
    sooner by size (`retention.bytes`).
    """

    topic: str
    partition: int
    start: int
    end: int
    committed: int
    lag: int
    lost: int
    rate: float
    unread_seconds: float | None
    retention_hours: float | None
    hours_left: float | None
    is_short: bool
    waiting: int
    open_seconds: float | None


def lag(s: Settings) -> list[Lag]:
    """Measure. Raises PermanentFailure before the stream's first run, TransientFailure without Kafka or the store."""
    there = partitions(s)
    now = datetime.now(UTC)
    recent = (pc.field("query") == INGEST) & (pc.field("committed_at") >= now - RATE_OVER)
    batches = read(s, PROGRESS.id, ["offsets"], where=recent).to_pylist()
    count = records_read(at for batch in batches for at in batch["offsets"])
    return [lag_of(one, count.get((one.topic, one.partition), 0), now) for one in there]


def records_read(ranges: Iterable[Mapping[str, Any]]) -> Mapping[At, int]:
    """Records per partition in ranges of offsets (topic, partition, from, to), as progress keeps them."""
    count: Counter[At] = Counter()
    for at in ranges:
        count[at["topic"], at["partition"]] += at["to"] - at["from"]
    return count


def lag_of(at: Partition, count: int, now: datetime) -> Lag:
    """The lag of a partition of which the stream has read `count` records within RATE_OVER.

    A partition that the group does not know yet is new, and the stream reads it from its start.
    """
    committed = at.start if at.committed is None else at.committed
    age = None if at.first_unread is None else max(now - at.first_unread, timedelta())
    left = None if at.retention is None else max(at.retention - (age or timedelta()), timedelta())
    return Lag(
        at.topic,
        at.partition,
        at.start,
        at.end,
        committed,
        lag=max(at.end - committed, 0),
        lost=max(at.start - committed, 0),
        rate=count / RATE_OVER.total_seconds(),
        unread_seconds=None if age is None else age.total_seconds(),
        retention_hours=_hours(at.retention),
        hours_left=_hours(left),
        is_short=at.retention is not None and left is not None and left < SHORT * at.retention,
        waiting=at.end - at.stable,
        open_seconds=None if at.open_since is None else max((now - at.open_since).total_seconds(), 0.0),
    )


def _hours(span: timedelta | None) -> float | None:
    return None if span is None else span / timedelta(hours=1)
