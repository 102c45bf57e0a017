"""How lost datagrams are repeated: the producer keeps the newest messages, a consumer asks for the numbers that it misses.

Data flow: numbered messages -> History; arrivals -> Gaps -> messages in order, numbers to ask for
Run: daybreak lab direct

Nothing here sends or waits: these are the rules alone. Reliable multicast protocols work so (NACKs, PGM, RFC 3208): who
misses something speaks, who misses nothing is silent. What is no longer in the history is lost, and is known to be.
"""

from collections import deque
from typing import NamedTuple


class Held(NamedTuple):
    """What a producer can repeat: numbers from `oldest` up to, not including, `end`."""

    oldest: int
    end: int


class History:
    """The newest `size` messages of a producer whose first message has the number `first`."""

    def __init__(self, size: int, first: int) -> None:
        self._messages: deque[bytes] = deque(maxlen=size)
        self._end = first

    def put(self, number: int, message: bytes) -> None:
        """Keep a message; the oldest one gives way. Raises ValueError unless it is the next number."""
        if number != self._end:
            raise ValueError(f"number {number} cannot follow {self._end - 1} in a history without holes")
        self._messages.append(message)
        self._end += 1

    @property
    def held(self) -> Held:
        """The numbers that it has."""
        return Held(self._end - len(self._messages), self._end)

    def asked(self, start: int, end: int) -> list[tuple[int, bytes]]:
        """Those of the numbers from `start` up to, not including, `end` that it still has, with their messages."""
        held = self.held
        numbers = range(max(start, held.oldest), min(end, held.end))
        return [(number, self._messages[number - held.oldest]) for number in numbers]


class Gaps:
    """A consumer's view: it takes what comes and gives it on in order, from the number `first` on, each number once."""

    def __init__(self, first: int) -> None:
        self._next = first
        self._end = first
        self._waiting: dict[int, bytes] = {}
        self.gone = 0
        """Numbers that were given up, because the producer no longer has them."""

    def came(self, number: int, message: bytes) -> list[bytes]:
        """A message came: those that can be given on now, in order. None for a number that was given on before."""
        if number < self._next:
            return []
        self._waiting[number] = message
        self._end = max(self._end, number + 1)
        return self._ready()

    def heard(self, held: Held) -> list[bytes]:
        """The producer said what it has: what is older is given up; those that can be given on now, in order."""
        self._end = max(self._end, held.end)
        given: list[bytes] = []
        while self._next < held.oldest:
            if self._next in self._waiting:
                given.append(self._waiting.pop(self._next))
            else:
                self.gone += 1
            self._next += 1
        return given + self._ready()

    def missing(self, most: int) -> tuple[int, int] | None:
        """The first numbers that are missing, at most `most`, as start and end; None if there are none."""
        if self._next >= self._end:
            return None
        end = self._next
        while end < self._end and end not in self._waiting and end - self._next < most:
            end += 1
        return self._next, end

    def _ready(self) -> list[bytes]:
        ready = []
        while self._next in self._waiting:
            ready.append(self._waiting.pop(self._next))
            self._next += 1
        return ready
