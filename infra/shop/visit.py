"""A visit of a member: searches, clicks on what was shown, and perhaps an order of what was clicked, or a saved search.

Data flow: moment, Member, Assortment, seeded random numbers -> events of searches, clicks, saved_searches, orders, payments
Run: daybreak query "SELECT position, count(*) FROM staging.stg_silver__clicks GROUP BY position ORDER BY position"

A visit sees the assortment as it was at its beginning. Numbers of searches and clicks do not depend on the assortment,
so the expected number of events is a constant.
"""

from random import Random

from infra.shop.assortment import PAGE, Assortment
from infra.shop.catalogue import NOT_SOLD
from infra.shop.event import HOUR, MINUTE, SECOND, Event, between, event, rank
from infra.shop.people import Member
from infra.shop.purchase import EVENTS_PER_ORDER, purchase

BUYS, IN_VAIN = 0.25, 0.2
"""Shares of visits with an order, and of visits whose searches find nothing; the others are for looking only."""
SEARCHES = (1, 1, 1, 2)
"""Searches of a visit, each number as likely."""
CLICKS_TO_BUY, CLICKS_TO_LOOK = (1, 1, 2, 2, 3), (0, 0, 1, 1, 2)
"""Clicks after each search, each number as likely."""
BUYS_CLICKED = 0.7
"""Share of clicked products that are bought; at least the last one is."""
SAVES, REMOVES = 0.5, 0.5
"""Shares of vain visits that end with a saved search, and of these, that are removed some hours later."""


def _mean(numbers: tuple[int, ...]) -> float:
    return sum(numbers) / len(numbers)


EVENTS_PER_VISIT = (
    _mean(SEARCHES) * (1 + BUYS * _mean(CLICKS_TO_BUY) + (1 - BUYS - IN_VAIN) * _mean(CLICKS_TO_LOOK))
    + BUYS * EVENTS_PER_ORDER
    + IN_VAIN * SAVES * (1 + REMOVES)
)
"""Expected events of a visit, without those of topic `customers`."""


class Visit:
    """One visit: its session, and the time of its latest event."""

    def __init__(self, rng: Random, moment_ms: int, member: Member, on_sale: Assortment) -> None:
        self._rng = rng
        self._now_ms = moment_ms + between(rng, SECOND, 5 * SECOND)
        self._member = member
        self._on_sale = on_sale
        self._session = f"v-{rng.getrandbits(64):016x}"
        self._customer = f'"customer_id":"c-{member.number}"'
        self._query = ""

    def events(self) -> list[Event]:
        """All events of the visit, and what follows from it: payments, the removal of a saved search."""
        rng, choice = self._rng, self._rng.random()
        searches = SEARCHES[int(rng.random() * len(SEARCHES))]
        if choice < IN_VAIN:
            found = [self._search([]) for _ in range(searches)]
            return [*found, *(self._save() if rng.random() < SAVES else [])]
        buys = choice < IN_VAIN + BUYS
        clicks = CLICKS_TO_BUY if buys else CLICKS_TO_LOOK
        found, clicked = [], []
        for _ in range(searches):
            page = self._look_for()
            found.append(self._search(page))
            for position in self._positions(clicks[int(rng.random() * len(clicks))]):
                clicked.append(page[position])
                found.append(self._click(page[position], position))
        return [*found, *(self._order(clicked) if buys else [])]

    def _look_for(self) -> list[int]:
        """Choose the words of the next search; the numbers of the products it shows."""
        product, choice = self._on_sale.wanted(self._rng), self._rng.random()
        look, thing = product.title.split(" ")
        self._query = thing if choice < 0.6 else f"{look} {thing}" if choice < 0.85 else f"{product.brand} {thing}"
        return self._on_sale.page(self._rng, product, is_named=choice >= 0.6)

    def _search(self, page: list[int]) -> Event:
        self._now_ms += between(self._rng, 5 * SECOND, 30 * SECOND)
        if not page:
            product = self._on_sale.missing(self._rng)
            thing = product.title.split(" ")[1]
            odd = f"{NOT_SOLD[int(self._rng.random() * len(NOT_SOLD))]} {thing}"
            self._query = odd if self._rng.random() < 0.3 else product.title
        shown = ",".join(f'"p-{number}"' for number in page)
        return self._event("searches", "search_made", f'"query":"{self._query}","product_ids":[{shown}]')

    def _positions(self, count: int) -> list[int]:
        """Different positions on a page, from 0, higher ones more often; in the order of reading."""
        found: set[int] = set()
        while len(found) < count:
            found.add(rank(self._rng, PAGE, 1))
        return sorted(found)

    def _click(self, number: int, position: int) -> Event:
        self._now_ms += between(self._rng, 3 * SECOND, 30 * SECOND)
        return self._event("clicks", "product_clicked", f'"product_id":"p-{number}","position":{position + 1}')

    def _order(self, clicked: list[int]) -> list[Event]:
        bought = {number for number in clicked[:-1] if self._rng.random() < BUYS_CLICKED} | {clicked[-1]}
        lines = self._on_sale.lines(self._rng, sorted(bought))
        placed_ms = self._now_ms + between(self._rng, 20 * SECOND, 2 * MINUTE)
        return purchase(self._rng, placed_ms, self._member.number, lines)

    def _save(self) -> list[Event]:
        """The words of the last search are saved, and perhaps removed once the customer waits no longer."""
        search = f"s-{self._rng.getrandbits(64):016x}"
        named = f'"search_id":"{search}",{self._customer}'
        saved_ms = self._now_ms + between(self._rng, 3 * SECOND, 30 * SECOND)
        words = f'{named},"words":"{self._query}"'
        found = [event(self._rng, "saved_searches", "search_saved", saved_ms, search, words)]
        if self._rng.random() < REMOVES:
            removed_ms = saved_ms + MINUTE + int(self._rng.lognormvariate(1.0, 1.0) * HOUR)
            found.append(event(self._rng, "saved_searches", "search_removed", removed_ms, search, named))
        return found

    def _event(self, topic: str, kind: str, fields: str) -> Event:
        named = f'"session_id":"{self._session}",{self._customer}'
        return event(self._rng, topic, kind, self._now_ms, self._session, f"{named},{fields}")
