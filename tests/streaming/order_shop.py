"""The order service's decisions without Kafka: what tests ask of it, one by one or at random.

Data flow: commands, as records -> answers and events, as records
Run: pytest tests/infra/test_order_service.py
"""

import json
import random
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID

from confluent_kafka import Message

from infra.shop.orders.answers import Record, answer
from infra.shop.orders.order import ANSWERS
from infra.shop.orders.state import State

NOON = 1_769_860_800_000


class Shop:
    """Commands in, records out."""

    def __init__(self) -> None:
        self.state, self.offset, self.records = State(), 0, cast(list[Record], [])

    def send(self, value: bytes | None, key: bytes | None = b"c-1", arrival_ms: int = NOON) -> str | None:
        """The outcome: accepted, a reason, or None for a command that was answered before."""
        place = {"topic": "commands", "partition": 0, "offset": self.offset, "timestamp": (2, arrival_ms)}
        fields = {name: (lambda found=found: found) for name, found in (place | {"key": key, "value": value}).items()}
        self.offset += 1
        records, reason = answer(self.state, cast(Message, SimpleNamespace(**fields)))
        self.records += records
        return (reason or "accepted") if records else None

    def ask(
        self, kind: str, number: int, at: int = NOON, customer: str = "c-1", arrival_ms: int = NOON, **more: Any
    ) -> str | None:
        head = {"event_id": str(UUID(int=number)), "event_type": kind, "event_time": at, "schema_version": 1}
        return self.send(json.dumps({**head, "customer_id": customer, **more}).encode(), customer.encode(), arrival_ms)

    def place(self, number: int, order: str = "o-00000001", quantity: int = 1, **more: Any) -> str | None:
        items = [{"product_id": "p-1", "quantity": quantity, "unit_price_cents": 100}]
        return self.ask("place_order", number, order_id=order, items=items, total_cents=100 * quantity, **more)

    def pay(self, number: int, cents: int, order: str = "o-00000001", **more: Any) -> str | None:
        paid = {"payment_id": f"pay-{number:08x}", "card_id": "card-1", "amount_cents": cents}
        return self.ask("pay_order", number, order_id=order, **(paid | more))

    def receive(self, number: int, quantity: int, customer: str = "c-0") -> str | None:
        items = [{"product_id": "p-1", "quantity": quantity, "unit_price_cents": 0}]
        return self.ask("receive_goods", number, customer=customer, items=items)

    def events(self) -> Iterator[dict[str, Any]]:
        return (json.loads(record.value) for record in self.records if record.topic != ANSWERS)


def commands(chance: random.Random, shop: Shop, count: int) -> None:
    """Random commands of few customers about few orders: many of them make no sense."""
    for number in range(1, count + 1):
        order, customer = f"o-0000000{chance.randint(1, 6)}", f"c-{chance.randint(1, 2)}"
        at = NOON + 1000 * number - chance.choice((0, 0, 90_000))
        own = {"at": at, "customer": customer, "arrival_ms": NOON + 1000 * number}
        items = [{"product_id": f"p-{chance.randint(1, 2)}", "quantity": chance.randint(1, 3), "unit_price_cents": 10}]
        cents = 10 * items[0]["quantity"]  # type: ignore[operator]
        match chance.randint(0, 7):
            case 0 | 1:
                shop.ask("place_order", number, order_id=order, items=items, total_cents=cents, **own)
            case 2:
                shop.ask("add_item", number, order_id=order, items=items, total_cents=cents, **own)
            case 3 | 4:
                known = shop.state.order(order)
                due = known.total_cents - known.paid_cents if known else 0
                shop.pay(
                    number, due if due > 0 and chance.random() < 0.5 else chance.choice((10, 20, 30)), order, **own
                )
            case 5:
                payment = f"pay-{chance.randint(1, number):08x}"
                shop.ask("refund_payment", number, order_id=order, payment_id=payment, amount_cents=10, **own)
            case 6:
                shop.ask("ship_order", number, order_id=order, **own)
            case _:
                shop.receive(number, chance.randint(1, 4))
        if chance.random() < 0.03:
            shop.ask("cancel_order", 1000 + number, order_id=order, reason="x", **own)
