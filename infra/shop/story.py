"""The story of the shop: who does what at a moment, and what the shop must remember for it to make sense.

Data flow: moment, seeded random numbers -> events of all topics
Run: daybreak shop --days 1

At each moment one thing happens: a guest buys, a member visits, the assortment changes, or a stolen card is tried. A
guest's visit leaves no searches and clicks, because the shop records those of members only.
"""

from random import Random

from infra.shop import people, visit
from infra.shop.assortment import Assortment
from infra.shop.catalogue import OPENING
from infra.shop.event import Event
from infra.shop.fraud import EVENTS_PER_FRAUD, fraud
from infra.shop.people import Members, guest
from infra.shop.purchase import EVENTS_PER_ORDER, purchase
from infra.shop.visit import Visit

TOPICS = ("orders", "payments", "searches", "clicks", "products", "saved_searches", "customers")

MEMBER_VISITS, CHANGES, FRAUDS = 0.35, 0.065, 0.0005
"""Shares of moments at which a member visits, the assortment changes, a stolen card is tried; else a guest buys."""
EVENTS_PER_MOMENT = (
    MEMBER_VISITS * (people.EVENTS_PER_VISIT + visit.EVENTS_PER_VISIT)
    + CHANGES
    + FRAUDS * EVENTS_PER_FRAUD
    + (1 - MEMBER_VISITS - CHANGES - FRAUDS) * EVENTS_PER_ORDER
)
"""Expected events of a moment, of all topics."""
OPENING_EVENTS = OPENING + 1
"""Events at the start of a run: the first products, and the first member."""


class Story:
    """The shop from its opening on. Its memory does not grow with the length of a run."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._on_sale = Assortment()
        self._members = Members()

    def opening(self, moment_ms: int) -> list[Event]:
        """The OPENING_EVENTS, all at one moment."""
        _, registered = self._members.register(self._rng, moment_ms)
        return [*self._on_sale.open(self._rng, moment_ms), registered]

    def events(self, moment_ms: int) -> list[Event]:
        """What begins at a moment, to its end days later; no event is older than the moment. Moments must ascend."""
        rng, choice = self._rng, self._rng.random()
        if choice < MEMBER_VISITS:
            member, found = self._members.visitor(rng, moment_ms)
            return [*found, *Visit(rng, moment_ms, member, self._on_sale).events()]
        if choice < MEMBER_VISITS + CHANGES:
            return [self._on_sale.change(rng, moment_ms)]
        if choice < MEMBER_VISITS + CHANGES + FRAUDS:
            return fraud(rng, moment_ms, self._on_sale)
        return purchase(rng, moment_ms, guest(rng), self._on_sale.basket(rng))
