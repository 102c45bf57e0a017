"""Who comes to the shop: guests, who only buy, and members, who register, search, move and leave.

Data flow: moments, seeded random numbers -> guests, members, cards, events of topic `customers`
Run: daybreak query "SELECT event_type, count(*) FROM staging.stg_silver__customers GROUP BY event_type"

A run meets its members at their registration, so no event names a member before it. Their numbers differ from run to
run; those of guests, and of guests' cards, do not.
"""

from random import Random
from typing import NamedTuple

from infra.shop.event import HOUR, MINUTE, Event, between, event, rank

GUESTS = 200_000
MOST_MEMBERS = 20_000
"""Members that a run remembers; beyond, a new one takes the place of another, who never comes back."""
NEW = 0.2
"""Share of visits by a member who registers first."""
MOVES, LEAVES = 0.03, 0.015
"""Shares of the other visits, by a member who has moved since the last one, or leaves after this one."""
EVENTS_PER_VISIT = NEW + (1 - NEW) * (MOVES + LEAVES)
"""Expected events of topic `customers` per visit of a member."""
REGIONS = ("north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west")
FIRST_NAMES = ("Ada", "Ben", "Chloé", "Dina", "Emil", "Fatma", "Goran", "Hana", "Ivo", "Jürgen", "Kim", "Lena", "Mia")
LAST_NAMES = ("Abel", "Brandt", "Costa", "Dahl", "Eder", "Fuchs", "Gomez", "Huber", "Ito", "Jansen", "Kaya", "Müller")


class Member(NamedTuple):
    """A customer with an account."""

    number: int
    name: str
    region: str


def guest(rng: Random) -> int:
    """A guest's number. The best one places an order in 19,000; the median one, an order in 390,000."""
    return rank(rng, GUESTS, 5000) + 1


def card_of(rng: Random, number: int) -> str:
    """The card a customer pays with: mostly the first of one to three."""
    cards = number % 3 + 1
    return f"card-{number * 10 + int(cards * rng.random() ** 2)}"


class Members:
    """The members of a run; old ones visit more often. Memory is bounded by MOST_MEMBERS."""

    def __init__(self) -> None:
        self._known: list[Member] = []

    def register(self, rng: Random, moment_ms: int) -> tuple[Member, Event]:
        """A new member, and their registration."""
        name = f"{_one(rng, FIRST_NAMES)} {_one(rng, LAST_NAMES)}"
        # At most eleven digits: the number of a card has one more, and at most twelve.
        member = Member(10**9 + rng.getrandbits(36), name, _one(rng, REGIONS))
        if len(self._known) < MOST_MEMBERS:
            self._known.append(member)
        else:
            self._known[int(rng.random() * MOST_MEMBERS)] = member
        return member, _event(rng, "customer_registered", moment_ms, member)

    def visitor(self, rng: Random, moment_ms: int) -> tuple[Member, list[Event]]:
        """The member whose visit begins, and what becomes known of them: they register, have moved, or will leave."""
        if rng.random() < NEW:
            member, registered = self.register(rng, moment_ms)
            return member, [registered]
        place, found = rank(rng, len(self._known), 200), []
        if rng.random() < MOVES:
            here = self._known[place]
            region = _one(rng, [region for region in REGIONS if region != here.region])
            self._known[place] = here._replace(region=region)
            found.append(_event(rng, "customer_moved", moment_ms, self._known[place]))
        member = self._known[place]
        if rng.random() < LEAVES and len(self._known) > 1:
            del self._known[place]
            # A visit lasts less than an hour, this one and any other that has begun.
            left_ms = moment_ms + between(rng, HOUR, 90 * MINUTE)
            customer = f"c-{member.number}"
            found.append(event(rng, "customers", "customer_left", left_ms, customer, f'"customer_id":"{customer}"'))
        return member, found


def _event(rng: Random, kind: str, time_ms: int, member: Member) -> Event:
    customer = f"c-{member.number}"
    fields = f'"customer_id":"{customer}","name":"{member.name}","region":"{member.region}"'
    return event(rng, "customers", kind, time_ms, customer, fields)


def _one(rng: Random, of: tuple[str, ...] | list[str]) -> str:
    return of[int(rng.random() * len(of))]
