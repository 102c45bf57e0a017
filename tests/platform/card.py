"""Payments on one card that make an alert of the view fraud_alerts: random histories rarely do by chance."""

import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

KINDS = ("payment_captured", "payment_failed", "payment_failed", "payment_captured")
CENTS = (100, 5, 5, 20_000)


def alert(name: str, at: datetime, chance: random.Random) -> Iterator[dict[str, Any]]:
    """The four payments of an alert at `at`, and sometimes one between them that undoes it: columns of EVENT."""
    payments = [*zip(KINDS, CENTS, (-160, -120, -80, 0), strict=True)]
    if chance.random() < 0.3:
        payments.append(("payment_captured", 700, -40))
    for place, (kind, cents, seconds) in enumerate(payments):
        own = {
            "order_id": f"o-{name}",
            "payment_id": f"pay-{name}-{place}",
            "card_id": f"card-{name}",
            "amount_cents": cents,
        }
        moment = at + timedelta(seconds=seconds)
        event = {"topic": "payments", "event_type": kind, "event_time": moment, "day": moment.date(), "payments": own}
        yield event | {"event_id": f"{name}-{place}"}
