"""What became of an attempt to deliver, and when the next one is due.

Data flow: delivery -> attempt -> Outcome -> pause
Run: pytest tests/streaming/notify/test_outcome.py
"""

import random
from dataclasses import dataclass
from enum import StrEnum

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 300.0
"""Seconds before the second attempt, and the most: pauses double between them."""
LONGEST_ASKED = 3600.0
"""Most seconds that a receiver's Retry-After can ask for: a wrong one would hold up what comes behind for ever."""


class Became(StrEnum):
    """What became of it."""

    DELIVERED = "delivered"
    REFUSED = "refused"
    """The receiver does not want this one: sent again as it is, it would be refused again."""
    FAILED = "failed"
    """Nobody knows whether it was taken, or it may be taken later."""


@dataclass(frozen=True)
class Delivery:
    """One thing to deliver: `id` is the same at every attempt, so that a receiver can tell a repeated one. `body`: bytes of
    the request, or of a mail's subject and text as JSON. `what`: for people, e.g. `alerts/0@17`."""

    id: str
    body: bytes
    what: str


@dataclass(frozen=True)
class Outcome:
    """`why` is a sentence; `after`: seconds that the receiver asked for before the next attempt."""

    became: Became
    why: str = ""
    after: float | None = None


def pause(tries: int, after: float | None = None) -> float:
    """Seconds before the next attempt, when `tries` have failed (from 1): doubled each time, a fifth of it by chance, so that
    receivers which come back are not met by all at once; at least what the receiver asked for."""
    own = min(FIRST_PAUSE * 2.0 ** min(tries - 1, 30), LONGEST_PAUSE) * random.uniform(0.8, 1.0)
    return max(own, min(after or 0.0, LONGEST_ASKED))
