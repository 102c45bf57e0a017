"""The watermark: which events are late.

Data flow: event times of earlier micro-batches, partitions with a backlog -> watermark = aligned event time - delay
Run: pytest tests/streaming/test_watermark.py
Source: streaming/README.md, Watermark and late events.
"""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pyarrow.compute as pc

from infra.event_time import AHEAD, MILLISECOND
from infra.lake import arrow_tables
from infra.settings import settings
from streaming.tables.progress import INGEST, PROGRESS

EPOCH = datetime.fromtimestamp(0, UTC)
TIMES = ("max_event_time", "aligned_event_time")
"""Columns of progress."""


class Watermark:
    """The watermark of the next micro-batch, from the event times of all earlier ones (epoch milliseconds).

    It is aligned, as Flink calls it: while some partitions have a backlog, it follows the slowest of them, so that no event
    is late only because the stream read another partition first. It waits for `alignment` of event time at most.
    """

    def __init__(
        self, delay: timedelta, alignment: timedelta, read_ms: int | None = None, aligned_ms: int | None = None
    ) -> None:
        self._delay_ms = delay // MILLISECOND
        self._alignment_ms = alignment // MILLISECOND
        self._read_ms = read_ms
        self.aligned_ms = aligned_ms
        """Event time (epoch ms) up to which all partitions were read; None before the first event ever."""

    @property
    def at(self) -> int | None:
        """An event with a smaller event time (epoch ms) is late; None before the first event ever."""
        return None if self.aligned_ms is None else self.aligned_ms - self._delay_ms

    def saw(self, largest_ms: int | None, backlog: Collection[int | None] = ()) -> None:
        """Advance after a micro-batch with the largest event time `largest_ms` (epoch ms; None without events).

        `backlog`: that time of each partition with records left to read, None for one that had no valid event.
        """
        self._read_ms = _later(self._read_ms, largest_ms)
        if self._read_ms is None:
            return
        waits_at = self._read_ms - self._alignment_ms
        reached = [waits_at if time is None else max(time, waits_at) for time in backlog]
        self.aligned_ms = _later(self.aligned_ms, min(reached, default=self._read_ms))


def restored(generation: str, batch_id: int) -> Watermark:
    """The watermark as it stood before `batch_id`: from stored progress, so that a repeated batch marks the same rows."""
    is_same_or_later = (pc.field("generation") == generation) & (pc.field("batch_id") >= batch_id)
    progress = arrow_tables.read(PROGRESS, (*TIMES, "as_of"), (pc.field("query") == INGEST) & ~is_same_or_later)
    limit = pc.add(progress["as_of"], AHEAD)
    followed = (pc.if_else(pc.less(progress[name], limit), progress[name], limit) for name in TIMES)
    latest = (pc.max(times).as_py() for times in followed)
    s = settings()
    delay, alignment = (timedelta(seconds=n) for n in (s.watermark_delay_seconds, s.watermark_alignment_seconds))
    return Watermark(delay, alignment, *(None if time is None else millis(time) for time in latest))


def capped(time_ms: int | None, as_of: datetime) -> int | None:
    """An event time (epoch ms) as the watermark follows it in a micro-batch that was planned at `as_of`, a time of this machine.

    The rule against events ahead of their arrival rests on the broker's clock, which may be wrong or, where somebody lets
    producers stamp a topic's records, the producer's own: one such record would make late all that is on time.
    """
    return None if time_ms is None else min(time_ms, millis(as_of + AHEAD))


def millis(time: datetime) -> int:
    """A time as epoch milliseconds."""
    return (time - EPOCH) // MILLISECOND


def time_of(millis: int) -> datetime:
    """Epoch milliseconds as a time."""
    return datetime.fromtimestamp(millis / 1000, UTC)


def moment(millis: int | None) -> datetime | None:
    """Epoch milliseconds as a time."""
    return None if millis is None else time_of(millis)


def arrow_time(at: datetime | None) -> pa.Scalar | None:
    """A time as Arrow's scalar."""
    return None if at is None else pa.scalar(at, pa.timestamp("us", "UTC"))


def _later(one: int | None, other: int | None) -> int | None:
    return max((time for time in (one, other) if time is not None), default=None)
