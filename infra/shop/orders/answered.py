"""Which commands have been answered, for as long as one may come again.

Data flow: ids of commands, days of arrival -> a set per day, and its parts as they are kept in the snapshot
Run: pytest tests/infra/test_order_service.py

An id takes 16 bytes here and some 80 in the set. A command is taken until HORIZON after its time, so older ids need not be known.
"""

from collections.abc import Iterator
from uuid import UUID

from infra.shop.day import DAY_MS

HORIZON_MS = 7 * DAY_MS
"""A command that is older than this when it arrives is rejected: whether it was answered before is no longer known."""
PART = 4_000
"""Ids in a part: well below what Kafka takes as one message."""
WIDTH = 16
Place = tuple[int, int]
"""Day of arrival (days since 1970), and the part's number in it."""


class Answered:
    """Ids by the day on which they arrived. `changed`: parts that differ from the snapshot."""

    def __init__(self) -> None:
        self._days: dict[int, set[bytes]] = {}
        self._parts: dict[Place, bytearray] = {}
        self.changed: set[Place] = set()

    def __contains__(self, command_id: str) -> bool:
        known = UUID(command_id).bytes
        return any(known in day for day in self._days.values())

    def __len__(self) -> int:
        return sum(map(len, self._days.values()))

    def add(self, command_id: str, arrival_ms: int) -> None:
        """Remember one that is not known yet."""
        known, day = UUID(command_id).bytes, arrival_ms // DAY_MS
        ids = self._days.setdefault(day, set())
        place = day, len(ids) // PART
        ids.add(known)
        self._parts.setdefault(place, bytearray()).extend(known)
        self.changed.add(place)

    def forget(self, arrival_ms: int) -> None:
        """Drop the days that are over: no command of theirs is taken any more."""
        for day in [day for day in self._days if (day + 2) * DAY_MS + HORIZON_MS < arrival_ms]:
            del self._days[day]
            gone = {place for place in self._parts if place[0] == day}
            self.changed |= gone
            for place in gone:
                del self._parts[place]

    def part(self, place: Place) -> bytes | None:
        """The ids of a part, one after the other; None for a part of a day that was dropped."""
        found = self._parts.get(place)
        return None if found is None else bytes(found)

    def restore(self, place: Place, ids: bytes) -> None:
        """Take a part from the snapshot."""
        self._parts[place] = bytearray(ids)
        self._days.setdefault(place[0], set()).update(_split(ids))


def _split(ids: bytes) -> Iterator[bytes]:
    return (ids[start : start + WIDTH] for start in range(0, len(ids), WIDTH))
