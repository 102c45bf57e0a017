"""Faults on the way to Kafka: how often events are late, repeated, malformed or dated ahead, and by how much.

Data flow: Event -> the records that reach the log for it: itself (perhaps late), copies, spoilt copies
Run: daybreak shop --days 1 --late 0.05 --duplicates 0.1
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from infra.shop.day import DAY_MS
from infra.shop.event import MINUTE, SECOND, Event, event_id
from infra.shop.malformed import MALFORMATIONS


@dataclass(frozen=True)
class Faults:
    """Shares of the good events that are late or have an extra record, and the largest ordinary delay in seconds."""

    duplicates: float = 0.02
    late: float = 0.01
    malformed: float = 0.001
    future: float = 0.0002
    jitter_seconds: float = 20.0


class Copy(NamedTuple):
    """One record on its way to the log: when it is sent, its bytes, and what the ledger calls it."""

    send_ms: int
    topic: str
    key: bytes | None
    value: bytes | None
    event_id: str | None
    kind: str


def _spread(rng: Random, low: int, high: int) -> int:
    """Log-uniform: each order of magnitude is as likely as the other."""
    return int(low * (high / low) ** rng.random())


def _dated(event: Event, time_ms: int) -> bytes:
    return event.value.replace(b'"event_time":%d' % event.time_ms, b'"event_time":%d' % time_ms, 1)


class Way:
    """The way from the shop to Kafka. It has its own random numbers, so that faults do not change the shop's events.

    `ahead_ms`: a moment not before the end of sending; a future-dated record lies 10 minutes to 2 days past it.
    `live`: nothing can be sent after the run, so a late event is one that happened before it.
    """

    def __init__(self, faults: Faults, rng: Random, ahead_ms: int, live: bool = False) -> None:
        self._faults = faults
        self._rng = rng
        self._ahead_ms = ahead_ms
        self._live = live
        self._ways_to_spoil = list(MALFORMATIONS)

    def copies(self, event: Event) -> Iterator[Copy]:
        """The event itself first, then its extra records; nothing is sent before it happened."""
        faults, rng = self._faults, self._rng
        sent = event.time_ms + int(rng.random() * faults.jitter_seconds * SECOND)
        kind = "good"
        if rng.random() < faults.late:
            kind, lateness = "late", _spread(rng, 2 * MINUTE, 2 * DAY_MS)
            if self._live:
                earlier = event.time_ms - lateness
                event = event._replace(time_ms=earlier, value=_dated(event, earlier))
            else:
                sent = event.time_ms + lateness
        yield Copy(sent, event.topic, event.key, event.value, event.event_id, kind)
        if rng.random() < faults.duplicates:
            again = sent + _spread(rng, SECOND, DAY_MS)
            yield Copy(again, event.topic, event.key, event.value, event.event_id, "duplicate")
        if rng.random() < faults.malformed:
            yield self._spoilt(event, sent)
        if rng.random() < faults.future:
            renamed = self._renamed(event)
            ahead = self._ahead_ms + _spread(rng, 10 * MINUTE, 2 * DAY_MS)
            yield Copy(sent, event.topic, event.key, _dated(renamed, ahead), renamed.event_id, "future")

    def _renamed(self, event: Event) -> Event:
        fresh = event_id(self._rng)
        return event._replace(event_id=fresh, value=event.value.replace(event.event_id.encode(), fresh.encode(), 1))

    def _spoilt(self, event: Event, sent: int) -> Copy:
        renamed = self._renamed(event)
        way = next(way for way in self._ways_to_spoil if way.needs in event.value)
        # The one just used goes to the end, so that each comes in its turn.
        self._ways_to_spoil.remove(way)
        self._ways_to_spoil.append(way)
        key, value = way.spoil(renamed.key, renamed.value)
        readable = value is not None and renamed.event_id.encode() in value
        return Copy(sent, event.topic, key, value, renamed.event_id if readable else None, f"malformed:{way.name}")
