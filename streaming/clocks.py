"""Event times ahead of this machine's clock, which the watermark does not follow, as a problem.

Data flow: latest event time of a micro-batch, the time at which it was planned -> `<home>/problems/stream.clock.json`
Run: daybreak status --problems
"""

from collections.abc import Iterable
from datetime import datetime

from infra.durations import span
from infra.problems import Problem, keep
from infra.settings import settings
from streaming.watermark import Watermark, capped, millis

SOURCE, ID = "stream.clock", "clock.ahead/stream"
MEND = (
    "set the clocks of producers, broker and this machine right, and message.timestamp.type of every topic to LogAppendTime; "
    "then daybreak restart stream"
)


def started() -> None:
    """Nothing has been seen since the stream's start."""
    keep(settings(), SOURCE, [])


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
