"""One run of the shop: everything it sends, in the order in which it is sent.

Data flow: moments -> purchases -> records, sorted by the time they are sent
Run: daybreak shop --days 3 --seed 1
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from random import Random

from infra.shop.catalogue import basket, customer
from infra.shop.day import FLAT, SHOP_DAY, moments
from infra.shop.event import Event
from infra.shop.faults import Copy, Faults, Way
from infra.shop.fraud import EVENTS_PER_FRAUD, fraud
from infra.shop.purchase import EVENTS_PER_ORDER, purchase

TOPICS = ("orders", "payments")
FRAUDS = 0.0005
"""The share of moments at which a stolen card is tried, and nobody else orders."""
EVENTS_PER_MOMENT = (1 - FRAUDS) * EVENTS_PER_ORDER + FRAUDS * EVENTS_PER_FRAUD


@dataclass(frozen=True)
class Run:
    """A half-open range of event time in epoch milliseconds, and how much happens in it.

    `rate`: mean good events per second of event time, over a whole day. `ahead_ms`: see `Way`.
    The same values give the same bytes in the same order. Another range or rate gives other ids, so that two runs
    never send the same id with different content.
    """

    start_ms: int
    end_ms: int
    rate: float
    seed: int
    ahead_ms: int
    faults: Faults = field(default_factory=Faults)
    live: bool = False

    def records(self) -> Iterator[Copy]:
        """Every record, by send time. What would be sent after the end is sent at the end.

        Memory holds only records that are not due yet: an order's later payments, late events and duplicates.
        """
        name = f"{self.seed} {self.start_ms} {self.end_ms} {self.rate}"
        shop = Random(f"shop {name}")
        way = Way(self.faults, Random(f"way {name}"), self.ahead_ms, self.live)
        curve = FLAT if self.live else SHOP_DAY
        last_ms = self.end_ms - 1
        waiting: list[tuple[int, int, Copy]] = []
        ticket = 0
        moments_per_second = self.rate / EVENTS_PER_MOMENT
        for placed_ms in moments(Random(f"moments {name}"), self.start_ms, self.end_ms, moments_per_second, curve):
            # Nothing is sent before it happens, so all that is due by now is complete.
            while waiting and waiting[0][0] <= placed_ms:
                yield heappop(waiting)[2]
            for event in happening(shop, placed_ms):
                if event.time_ms >= self.end_ms:
                    continue
                for copy in way.copies(event):
                    # The ticket keeps equal send times in order: an original before its duplicate.
                    ticket += 1
                    heappush(waiting, (min(copy.send_ms, last_ms), ticket, copy))
        while waiting:
            yield heappop(waiting)[2]


def happening(rng: Random, moment_ms: int) -> list[Event]:
    """What begins at a moment: an order with its payments, or rarely a fraud."""
    if rng.random() < FRAUDS:
        return fraud(rng, moment_ms)
    return purchase(rng, moment_ms, customer(rng), basket(rng))
