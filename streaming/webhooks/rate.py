"""How fast a sender may send: a bucket of tokens, one for each request.

Data flow: sender, time -> taken, or the seconds until it may ask again
Run: pytest tests/streaming/webhooks/test_rate.py
"""

import time
from collections.abc import Callable

from streaming.webhooks.refused import Refused, Why
from streaming.webhooks.senders import Sender


class Rates:
    """A bucket per sender; it holds what one second brings, and at least one token."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, sender: Sender) -> None:
        """Take a token. Raises Refused, with when to ask again, if there is none."""
        now, most = self._clock(), max(sender.per_second, 1.0)
        left, at = self._left.get(sender.name, (most, now))
        left = min(most, left + (now - at) * sender.per_second)
        if left < 1:
            self._left[sender.name] = left, now
            raise Refused(
                Why.TOO_MANY,
                f"{sender.name} may send {sender.per_second:g} requests a second: wait as Retry-After says, and send it again. "
                f"To allow more: daybreak webhooks change {sender.name} --per-second N",
                retry_after=(1 - left) / sender.per_second,
            )
        self._left[sender.name] = left - 1, now
