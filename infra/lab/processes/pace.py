"""How fast a consumer is: so many orders per second at most, as one is whose work takes time.

Data flow: orders per second -> pauses
Run: daybreak lab overload
"""

import time

CATCH_UP_SECONDS = 0.02
"""A pause ends a little late, and what the transport does takes time too: so much of it is made up for."""


class Pace:
    """Keeps to `rate` orders per second; a rate of 0 is no limit."""

    def __init__(self, rate: float) -> None:
        self._seconds = 1 / rate if rate else 0.0
        self._free_at = 0.0

    def keep(self) -> None:
        """Return when the work on one more order is done."""
        if not self._seconds:
            return
        now = time.monotonic()
        self._free_at = max(self._free_at, now - CATCH_UP_SECONDS) + self._seconds
        if self._free_at > now:
            time.sleep(self._free_at - now)
