"""An order and what its events make of it.

Data flow: an order (or none), one more event -> the order after it
Run: pytest tests/infra/test_order_service.py
Source: event sourcing: Kleppmann, Designing Data-Intensive Applications, chapter 11.

Nothing is decided here: an event has happened. The same function makes the state that decides, and the state after a restart.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

ORDERS, PAYMENTS, ANSWERS = "orders", "payments", "answers"
PLACED, ADDED, SHIPPED, CANCELLED = "order_placed", "items_added", "order_shipped", "order_cancelled"
CAPTURED, REFUNDED, RECEIVED = "payment_captured", "payment_refunded", "goods_received"


@dataclass(frozen=True)
class Payment:
    """A captured payment, and how much of it was given back; in cents."""

    card_id: str
    captured: int
    refunded: int = 0


@dataclass(frozen=True)
class Order:
    """An order; amounts in cents. `lines`: how many. `reserved`: pieces of each product that were taken from a counted stock.

    `last_ms`: the time of its last event.
    """

    customer_id: str
    total_cents: int
    lines: int
    reserved: Mapping[str, int] = field(default_factory=dict)
    payments: Mapping[str, Payment] = field(default_factory=dict)
    is_shipped: bool = False
    is_cancelled: bool = False
    last_ms: int = 0

    @property
    def paid_cents(self) -> int:
        """Captured less refunded."""
        return sum(one.captured - one.refunded for one in self.payments.values())

    def written(self) -> bytes:
        """As JSON: orders are kept so, since a million objects would take ten times the memory."""
        return json.dumps(asdict(self), separators=(",", ":")).encode()

    @classmethod
    def read(cls, text: bytes) -> "Order":
        """From `written`."""
        fields = json.loads(text)
        payments = {name: Payment(**one) for name, one in fields.pop("payments").items()}
        return cls(payments=payments, **fields)


@dataclass(frozen=True)
class Fact:
    """What has happened: a kind of event, its payload, when (epoch milliseconds), and the order it is about, if any."""

    kind: str
    payload: Mapping[str, Any]
    time_ms: int
    order_id: str | None

    @property
    def topic(self) -> str:
        """Where the event is written; goods that came in are told by their answer alone."""
        return {CAPTURED: PAYMENTS, REFUNDED: PAYMENTS, RECEIVED: ANSWERS}.get(self.kind, ORDERS)

    @property
    def pieces(self) -> dict[str, int]:
        """Pieces of each product, of all its lines."""
        found: dict[str, int] = {}
        for item in self.payload.get("items", ()):
            found[item["product_id"]] = found.get(item["product_id"], 0) + item["quantity"]
        return found


def after(order: Order | None, fact: Fact) -> Order:
    """The order after one more event of it."""
    payload = fact.payload
    if fact.kind == PLACED:
        return Order(payload["customer_id"], payload["total_cents"], len(payload["items"]), last_ms=fact.time_ms)
    assert order is not None, f"{fact.kind} of an order that was never placed"
    now = replace(order, last_ms=fact.time_ms)
    match fact.kind:
        case "items_added":
            more = order.total_cents + payload["total_cents"]
            return replace(now, total_cents=more, lines=order.lines + len(payload["items"]))
        case "order_shipped":
            return replace(now, is_shipped=True)
        case "order_cancelled":
            return replace(now, is_cancelled=True)
        case "payment_captured":
            new = Payment(payload["card_id"], payload["amount_cents"])
            return replace(now, payments={**order.payments, payload["payment_id"]: new})
        case "payment_refunded":
            known = order.payments[payload["payment_id"]]
            back = replace(known, refunded=known.refunded + payload["amount_cents"])
            return replace(now, payments={**order.payments, payload["payment_id"]: back})
    raise AssertionError(f"{fact.kind} is no event of an order")
