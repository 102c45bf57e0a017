"""One run of the shop: everything it sends, in the order in which it is sent.

Data flow: moments -> story -> records, sorted by the time they are sent
Run: daybreak shop --days 3 --seed 1
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from random import Random

from infra.shop.asks import Asks
from infra.shop.day import FLAT, SHOP_DAY, moments
from infra.shop.event import Event
from infra.shop.faults import Copy, Faults, Way
from infra.shop.story import EVENTS_PER_MOMENT, OPENING_EVENTS, Story


@dataclass(frozen=True)
class Run:
    """A half-open range of event time in epoch milliseconds, and how much happens in it.

    `rate`: mean good events per second of event time, of all topics, over a whole day. `ahead_ms`: see `Way`.
    The same values give the same bytes in the same order. Another range or rate gives other ids, so that two runs
    never send the same id with different content. `asks`: send commands to the order service in place of events that it makes.
    """

    start_ms: int
    end_ms: int
    rate: float
    seed: int
    ahead_ms: int
    faults: Faults = field(default_factory=Faults)
    live: bool = False
    asks: bool = False

    def records(self) -> Iterator[Copy]:
        """Every record, by send time. What would be sent after the end is sent at the end.

        Memory holds the shop's state, and records that are not due yet: later payments, late events and duplicates.
        """
        name = self._name
        way = Way(self.faults, Random(f"way {name}"), self.ahead_ms, self.live)
        prompt = replace(self.faults, late=0.0, jitter_seconds=0.0)
        asked, way_of_asked = Asks(), Way(prompt, Random(f"asked {name}"), self.ahead_ms, self.live)
        last_ms = self.end_ms - 1
        waiting: list[tuple[int, int, Copy]] = []
        ticket = 0
        for moment_ms, events in self._story():
            # Nothing is sent before it happens, so all that is due by now is complete.
            while waiting and waiting[0][0] <= moment_ms:
                yield heappop(waiting)[2]
            for event in events:
                if event.time_ms >= self.end_ms:
                    continue
                ask = asked(event) if self.asks else event
                for copy in (way if ask is event else way_of_asked).copies(ask):
                    # The ticket keeps equal send times in order: an original before its duplicate.
                    ticket += 1
                    heappush(waiting, (min(copy.send_ms, last_ms), ticket, copy))
        while waiting:
            yield heappop(waiting)[2]

    def events(self) -> Iterator[Event]:
        """What really happens, in the order of its times, without any fault on the way."""
        waiting: list[tuple[int, int, Event]] = []
        ticket = 0
        for moment_ms, events in self._story():
            # No event is older than its moment, so all before it are known.
            while waiting and waiting[0][0] < moment_ms:
                yield heappop(waiting)[2]
            for event in events:
                ticket += 1
                if event.time_ms < self.end_ms:
                    heappush(waiting, (event.time_ms, ticket, event))
        while waiting:
            yield heappop(waiting)[2]

    @property
    def _name(self) -> str:
        return f"{self.seed} {self.start_ms} {self.end_ms} {self.rate}"

    def _story(self) -> Iterator[tuple[int, list[Event]]]:
        """Each moment with all events that begin at it, the shop's opening first."""
        story = Story(Random(f"shop {self._name}"))
        yield self.start_ms, story.opening(self.start_ms)
        # A run that is too short for its opening has more events than its rate says.
        opening = OPENING_EVENTS * 1000 / (self.end_ms - self.start_ms)
        per_second = max(self.rate - opening, self.rate / 10) / EVENTS_PER_MOMENT
        curve = FLAT if self.live else SHOP_DAY
        for moment_ms in moments(Random(f"moments {self._name}"), self.start_ms, self.end_ms, per_second, curve):
            yield moment_ms, story.events(moment_ms)
