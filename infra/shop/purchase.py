"""The life of one order, from the basket to the last payment event.

Data flow: moment of the order, seeded random numbers -> events, as the bytes that will be sent
Run: daybreak shop --days 1
"""

from random import Random

from infra.shop.assortment import Line
from infra.shop.event import HOUR, MINUTE, SECOND, Event, between, event
from infra.shop.people import card_of

NEVER_PAID = 0.05
SLOW = 0.015
"""Orders whose first payment comes more than an hour after them (bank transfers, abandoned and found again)."""
FAILS = 0.08
TRIES_AGAIN = 0.85
MOST_ATTEMPTS = 4
CANCELLED = 0.03
REFUNDED = 0.02
BY_APP = 5
"""So many of 16 orders are placed in the app."""

ATTEMPTS = sum((FAILS * TRIES_AGAIN) ** n for n in range(MOST_ATTEMPTS))
EVENTS_PER_ORDER = 1 + CANCELLED + (1 - NEVER_PAID) * (ATTEMPTS + (1 - CANCELLED) * REFUNDED)
"""Expected events of one order; cancellations spare about as many payments as they cause refunds."""

REASONS = ("changed my mind", "ordered twice", "too slow", "found it cheaper", "wrong address", "")


def purchase(rng: Random, placed_ms: int, number: int, lines: list[Line]) -> list[Event]:
    """All events of one order that customer `number` places at `placed_ms`; payments may come days later."""
    order, total, first = placed(rng, placed_ms, number, lines)
    events = [first]
    cancelled_ms = placed_ms + between(rng, 20 * SECOND, 30 * MINUTE) if rng.random() < CANCELLED else None
    if cancelled_ms is not None:
        reason = REASONS[int(rng.random() * len(REASONS))]
        version, more = _channel(order)
        fields = f'"order_id":"{order}","customer_id":"c-{number}","reason":"{reason}"{more}'
        events.append(event(rng, "orders", "order_cancelled", cancelled_ms, order, fields, version))
    if rng.random() >= NEVER_PAID:
        events += _payments(rng, placed_ms, cancelled_ms, order, card_of(rng, number), total)
    return events


def placed(rng: Random, placed_ms: int, number: int, lines: list[Line]) -> tuple[str, int, Event]:
    """A new order's id, its total in cents, and its first event."""
    order = f"o-{rng.getrandbits(64):016x}"
    total = sum(line.quantity * line.unit_price_cents for line in lines)
    items = ",".join(
        f'{{"product_id":"{line.product_id}","quantity":{line.quantity},"unit_price_cents":{line.unit_price_cents}}}'
        for line in lines
    )
    version, more = _channel(order)
    bought = f'"order_id":"{order}","customer_id":"c-{number}","items":[{items}],"total_cents":{total}{more}'
    return order, total, event(rng, "orders", "order_placed", placed_ms, order, bought, version)


def _channel(order: str) -> tuple[int, str]:
    """The web shop writes version 1 of the contract, the app version 2 with further fields. No random number is drawn for it."""
    return (2, ',"channel":"app","currency":"EUR"') if int(order[-1], 16) < BY_APP else (1, "")


def attempt(rng: Random, order: str, card: str, cents: int) -> str:
    """The payload of a new payment."""
    payment = f"pay-{rng.getrandbits(64):016x}"
    return f'"payment_id":"{payment}","order_id":"{order}","card_id":"{card}","amount_cents":{cents}'


def _payments(rng: Random, placed_ms: int, cancelled_ms: int | None, order: str, card: str, cents: int) -> list[Event]:
    """Attempts until one is captured, nobody tries again, or the order is cancelled; then perhaps the refund."""
    events: list[Event] = []
    if rng.random() < SLOW:
        moment = placed_ms + between(rng, 61 * MINUTE, 8 * HOUR)
    else:
        moment = placed_ms + 2 * SECOND + int(rng.lognormvariate(2.7, 1.0) * SECOND)
    for _ in range(MOST_ATTEMPTS):
        if cancelled_ms is not None and moment >= cancelled_ms:
            break
        fields = attempt(rng, order, card, cents)
        if rng.random() >= FAILS:
            events.append(event(rng, "payments", "payment_captured", moment, order, fields))
            if cancelled_ms is not None:
                refunded = cancelled_ms + between(rng, MINUTE, HOUR)
            elif rng.random() < REFUNDED:
                refunded = moment + between(rng, HOUR, 60 * HOUR)
            else:
                break
            events.append(event(rng, "payments", "payment_refunded", refunded, order, fields))
            break
        events.append(event(rng, "payments", "payment_failed", moment, order, fields))
        if rng.random() >= TRIES_AGAIN:
            break
        moment += between(rng, 10 * SECOND, 4 * MINUTE)
    return events
