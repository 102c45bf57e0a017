"""A stolen card is tried: a small payment that is captured, failed ones, then a large one, all within ten minutes.

Data flow: moment, Assortment, seeded random numbers -> events of orders and payments
Run: daybreak query "SELECT card_id, count(*) AS n FROM staging.stg_silver__payments GROUP BY card_id ORDER BY n DESC LIMIT 5"
"""

from random import Random

from infra.shop.assortment import Assortment
from infra.shop.catalogue import CHEAP, DEAR
from infra.shop.event import MINUTE, SECOND, Event, between, event
from infra.shop.people import card_of, guest
from infra.shop.purchase import attempt, placed

FAILURES = (2, 3)
"""Failed payments, each number as likely."""
EVENTS_PER_FRAUD = 4 + sum(FAILURES) / len(FAILURES)


def fraud(rng: Random, moment_ms: int, on_sale: Assortment) -> list[Event]:
    """A captured payment under 5.00, two or three failed ones and a captured one over 100.00, on one card.

    From the first payment to the last it takes less than six minutes. The payments are for two orders.
    """
    number = guest(rng)
    card = card_of(rng, number)
    trial, small, first = placed(rng, moment_ms, number, [on_sale.line(CHEAP)])
    now_ms = moment_ms + between(rng, 3 * SECOND, 20 * SECOND)
    events = [first, event(rng, "payments", "payment_captured", now_ms, trial, attempt(rng, trial, card, small))]

    now_ms += between(rng, 20 * SECOND, 2 * MINUTE)
    order, large, second = placed(rng, now_ms, number, [on_sale.line(DEAR)])
    events.append(second)
    kinds = ["payment_failed"] * FAILURES[int(rng.random() * len(FAILURES))] + ["payment_captured"]
    for kind in kinds:
        now_ms += between(rng, 5 * SECOND, 50 * SECOND)
        events.append(event(rng, "payments", kind, now_ms, order, attempt(rng, order, card, large)))
    return events
