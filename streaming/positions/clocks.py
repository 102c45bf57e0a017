"""Clocks that are wrong: event times ahead of this machine's, which the watermark does not follow; this one, when it is set back.

Data flow: latest event time of a micro-batch, the time at which it was planned -> `<home>/problems/stream.clock.json`
Run: daybreak status --problems
Source: Spark's ProcessingTimeExecutor, which waits for the time of the next trigger, whatever the clock does meanwhile.
"""

import time
from collections.abc import Iterable
from datetime import datetime, timedelta

import pyarrow.compute as pc

from infra import logs
from infra.durations import span
from infra.lake import arrow_tables
from infra.problems import Problem, keep
from infra.settings import settings
from streaming.positions.watermark import Watermark, capped, millis
from streaming.tables.progress import INGEST, PROGRESS

SOURCE, ID = "stream.clock", "clock.ahead/stream"
MEND = (
    "set the clocks of producers, broker and this machine right, and message.timestamp.type of every topic to LogAppendTime; "
    "then daybreak restart stream"
)

BACK_SECONDS = 5.0
"""By so much a clock is set back at once only by hand, or by a machine that has learnt the time late."""
TICK = timedelta(milliseconds=1)


class Times:
    """When each micro-batch was planned, each later than the one before: by it the newest answer of a row is found.

    While the clock stands behind the last one, because it was set back, they are a tick apart.
    """

    def __init__(self, generation: str) -> None:
        self._generation = generation
        self._last: datetime | None = None

    def of(self, planned: datetime, batch_id: int) -> datetime:
        """The time of a micro-batch; repeated, it has the same again, because those before it are in progress."""
        last = self._last or _last_before(self._generation, batch_id)
        self._last = max(planned, last + TICK) if last else planned
        return self._last


def _last_before(generation: str, batch_id: int) -> datetime | None:
    is_same_or_later = (pc.field("generation") == generation) & (pc.field("batch_id") >= batch_id)
    found = arrow_tables.read(PROGRESS, ("as_of",), (pc.field("query") == INGEST) & ~is_same_or_later)
    last: datetime | None = pc.max(found["as_of"]).as_py()
    return last


class SetBack:
    """Looks whether this machine's clock was set back: then Spark waits for a time that it has passed already."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()
        self.waits = False
        """Was it since the query started?"""

    def look(self) -> None:
        """Say so if it was since the last look."""
        before, self._offset = self._offset, time.time() - time.monotonic()
        if before - self._offset >= BACK_SECONDS:
            self.waits = True
            logs.line(
                f"this machine's clock was set back by {span(before - self._offset)}: the query starts again, since Spark would "
                "wait for a time that it has passed already",
                "daybreak stream",
            )


def started() -> None:
    """Nothing has been seen since the stream's start."""
    # The second was told by a version before this one.
    for source in (SOURCE, "stream.clock-back"):
        keep(settings(), source, [])


def follow(watermark: Watermark, largest_ms: int | None, backlog: Iterable[int | None], as_of: datetime) -> None:
    """Advance the watermark after a micro-batch that was planned at `as_of`, as far as clocks allow; the rest as `saw`."""
    _look(largest_ms, as_of)
    watermark.saw(capped(largest_ms, as_of), [capped(time, as_of) for time in backlog])


def _look(latest_ms: int | None, as_of: datetime) -> None:
    """Keep the problem if the latest event time (epoch ms) of a micro-batch is too far ahead of its planned time."""
    if latest_ms is None or latest_ms == capped(latest_ms, as_of):
        return
    what = (
        f"an event is {span((latest_ms - millis(as_of)) / 1000)} ahead of this machine's clock ({as_of:%Y-%m-%d %H:%M} UTC), "
        "but not of its arrival: the broker's clock or this machine's is wrong, or a topic has its producers' time. The "
        "watermark does not follow it"
    )
    keep(settings(), SOURCE, [Problem(ID, what, MEND)])
