"""The life of one order, from the basket to the last payment event.

Data flow: moment of the order, seeded random numbers -> events, as the bytes that will be sent
Run: daybreak shop --days 1
"""

from random import Random
from typing import NamedTuple

from infra.shop.catalogue import basket, card_of, customer

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

SECOND, MINUTE, HOUR = 1_000, 60_000, 3_600_000
REASONS = ("changed my mind", "ordered twice", "too slow", "found it cheaper", "wrong address", "")


class Event(NamedTuple):
    """One event: when it happened, its topic and Kafka key, its id, and its value as compact JSON."""

    time_ms: int
    topic: str
    key: bytes
    event_id: str
    value: bytes


def event_id(rng: Random) -> str:
    """A version 4 UUID from seeded random numbers."""
    h = f"{rng.getrandbits(128):032x}"
    return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-{'89ab'[int(h[16], 16) & 3]}{h[17:20]}-{h[20:]}"


def _event(rng: Random, topic: str, kind: str, time_ms: int, order: str, fields: str, version: int = 1) -> Event:
    identity = event_id(rng)
    head = f'{{"event_id":"{identity}","event_type":"{kind}","event_time":{time_ms},"schema_version":{version},'
    return Event(time_ms, topic, order.encode(), identity, (head + fields + "}").encode())


def _between(rng: Random, low: int, high: int) -> int:
    return low + int(rng.random() * (high - low))


def purchase(rng: Random, placed_ms: int) -> list[Event]:
    """All events of one order placed at `placed_ms`; payments may come days later."""
    order, number = f"o-{rng.getrandbits(64):016x}", customer(rng)
    lines = basket(rng)
    total = sum(line.quantity * line.unit_price_cents for line in lines)
    items = ",".join(
        f'{{"product_id":"{line.product_id}","quantity":{line.quantity},"unit_price_cents":{line.unit_price_cents}}}'
        for line in lines
    )
    # The web shop writes version 1 of the contract, the app version 2. No random number is drawn for it.
    version, more = (2, ',"channel":"app","currency":"EUR"') if int(order[-1], 16) < BY_APP else (1, "")
    names = f'"order_id":"{order}","customer_id":"c-{number}"'
    bought = f'{names},"items":[{items}],"total_cents":{total}{more}'
    events = [_event(rng, "orders", "order_placed", placed_ms, order, bought, version)]

    cancelled_ms = placed_ms + _between(rng, 20 * SECOND, 30 * MINUTE) if rng.random() < CANCELLED else None
    if cancelled_ms is not None:
        reason = REASONS[int(rng.random() * len(REASONS))]
        fields = f'{names},"reason":"{reason}"{more}'
        events.append(_event(rng, "orders", "order_cancelled", cancelled_ms, order, fields, version))
    if rng.random() >= NEVER_PAID:
        events += _payments(rng, placed_ms, cancelled_ms, order, card_of(rng, number), total)
    return events


def _payments(rng: Random, placed_ms: int, cancelled_ms: int | None, order: str, card: str, cents: int) -> list[Event]:
    """Attempts until one is captured, nobody tries again, or the order is cancelled; then perhaps the refund."""
    events: list[Event] = []
    if rng.random() < SLOW:
        moment = placed_ms + _between(rng, 61 * MINUTE, 8 * HOUR)
    else:
        moment = placed_ms + 2 * SECOND + int(rng.lognormvariate(2.7, 1.0) * SECOND)
    for _ in range(MOST_ATTEMPTS):
        if cancelled_ms is not None and moment >= cancelled_ms:
            break
        payment = f"pay-{rng.getrandbits(64):016x}"
        fields = f'"payment_id":"{payment}","order_id":"{order}","card_id":"{card}","amount_cents":{cents}'
        if rng.random() >= FAILS:
            events.append(_event(rng, "payments", "payment_captured", moment, order, fields))
            if cancelled_ms is not None:
                refunded = cancelled_ms + _between(rng, MINUTE, HOUR)
            elif rng.random() < REFUNDED:
                refunded = moment + _between(rng, HOUR, 60 * HOUR)
            else:
                break
            events.append(_event(rng, "payments", "payment_refunded", refunded, order, fields))
            break
        events.append(_event(rng, "payments", "payment_failed", moment, order, fields))
        if rng.random() >= TRIES_AGAIN:
            break
        moment += _between(rng, 10 * SECOND, 4 * MINUTE)
    return events
