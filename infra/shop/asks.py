"""The shop's events as commands: what its customers ask for, where the order service decides what happens.

Data flow: an event of `orders` or `payments`, before it is sent -> the command that would make it
Run: daybreak up --with order-service; daybreak shop --days 1

A failed payment stays an event: the card company says it, and nobody asks for it. A client waits for its answer, so none is late.
"""

import json
from typing import Any

from infra.shop.event import Event
from infra.shop.orders.commands import TOPIC

KINDS = {
    "order_placed": "place_order",
    "items_added": "add_item",
    "order_shipped": "ship_order",
    "order_cancelled": "cancel_order",
    "payment_captured": "pay_order",
    "payment_refunded": "refund_payment",
}


class Asks:
    """Who ordered what is remembered: a payment does not say it. Memory: a customer per order of the run."""

    def __init__(self) -> None:
        self._customers: dict[str, str] = {}

    def __call__(self, event: Event) -> Event:
        """The command for an event; other events as they are."""
        if event.topic not in ("orders", "payments"):
            return event
        fields: dict[str, Any] = json.loads(event.value)
        kind, order = KINDS.get(fields["event_type"]), fields["order_id"]
        if kind is None:
            return event
        customer = self._customers.setdefault(order, fields.get("customer_id", ""))
        fields |= {"event_type": kind, "schema_version": 1, "customer_id": customer}
        fields.pop("currency", None)
        if kind != "place_order":
            fields.pop("channel", None)
        if kind == "refund_payment":
            del fields["card_id"]
        value = json.dumps(fields, separators=(",", ":"), ensure_ascii=False).encode()
        return event._replace(topic=TOPIC, key=customer.encode(), value=value)
