"""An order's event as a record of `orders` or `payments` tells it, whoever wrote it.

Data flow: record -> OrderEvent, or None for one that the stream quarantines
Run: pytest tests/infra/test_order_events.py

The rules are those of the two contracts: an event that only one of database and stream takes would be a difference for ever.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, Field, ValidationError

from infra.event_time import MILLISECOND, OLDEST
from infra.shop.followers.follower import Record
from infra.shop.orders.commands import (
    MAX_BYTES,
    Amount,
    Card,
    Cents,
    Channel,
    Customer,
    Id,
    Items,
    PaymentId,
    Strict,
    Time,
    total_of,
)
from infra.shop.orders.commands import Order as OrderId
from infra.shop.orders.decide import AHEAD_MS
from infra.shop.orders.order import ADDED, CANCELLED, PAYMENTS, PLACED, SHIPPED
from infra.strict_json import decoded

FAILED = "payment_failed"
UNWRITABLE = "\ufffd"
"""Stands for the character of number 0, which no text in Postgres has."""
OLDEST_MS = OLDEST // MILLISECOND
"""An event older than this at its arrival is rejected, as in the stream."""
ADDED_BY_VERSION_2 = {"channel", "currency"}
NEEDS: Mapping[str, tuple[str, ...]] = {
    PLACED: ("customer_id", "items", "total_cents"),
    ADDED: ("customer_id", "items", "total_cents"),
    SHIPPED: ("customer_id",),
    CANCELLED: ("customer_id", "reason"),
}
"""The fields that an event of `orders` may not lack."""


class OrderEvent(NamedTuple):
    """An event with what it says of the order: customer_id, lines, total_cents, amount_cents, reason.

    In the order of `key` the events of an order are folded, here as in the stream.
    """

    event_id: str
    order_id: str
    kind: str
    at: datetime
    arrival: datetime
    topic: str
    offset: int
    said: Mapping[str, Any]

    @property
    def key(self) -> tuple[datetime, datetime, str, int]:
        """Its place among the events of its order."""
        return self.at, self.arrival, self.topic, self.offset


def _as_utf8(text: str) -> str:
    # Half of a surrogate pair is no text; the stream rejects it too.
    text.encode()
    return text


class _Event(Strict):
    event_id: Id
    event_time: Time
    schema_version: int = Field(ge=1, le=1)
    order_id: OrderId


class _OfOrder(_Event):
    event_type: Literal["order_placed", "items_added", "order_shipped", "order_cancelled"]
    schema_version: int = Field(ge=1, le=2)
    customer_id: Customer | None = None
    items: Items | None = None
    total_cents: Cents | None = None
    reason: Annotated[str, AfterValidator(_as_utf8)] | None = None
    channel: Channel | None = None
    currency: Literal["EUR"] | None = None


class _OfPayment(_Event):
    event_type: Literal["payment_captured", "payment_failed", "payment_refunded"]
    payment_id: PaymentId
    card_id: Card
    amount_cents: Amount


def read(record: Record) -> OrderEvent | None:
    """The event in a record; None for one that is none: anyone may write to a topic."""
    if record.value is None or len(record.value) > MAX_BYTES:
        return None
    try:
        fields = decoded(record.value)
        own = _OfPayment.model_validate(fields) if record.topic == PAYMENTS else _OfOrder.model_validate(fields)
    except (ValidationError, ValueError, RecursionError):
        return None
    is_timely = record.arrival_ms - OLDEST_MS <= own.event_time <= record.arrival_ms + AHEAD_MS
    if not is_timely or record.key != own.order_id.encode():
        return None
    said = _of_payment(own) if isinstance(own, _OfPayment) else _of_order(own)
    if said is None:
        return None
    at, arrival = (datetime.fromtimestamp(ms / 1000, UTC) for ms in (own.event_time, record.arrival_ms))
    return OrderEvent(own.event_id, own.order_id, own.event_type, at, arrival, record.topic, record.offset, said)


def _of_payment(own: _OfPayment) -> Mapping[str, Any]:
    return {"amount_cents": own.amount_cents}


def _of_order(own: _OfOrder) -> Mapping[str, Any] | None:
    if any(getattr(own, name) is None for name in NEEDS[own.event_type]):
        return None
    if own.schema_version < 2 and own.model_fields_set & ADDED_BY_VERSION_2:
        return None
    if own.items is not None and own.total_cents is not None and own.total_cents != total_of(own.items):
        return None
    said: dict[str, Any] = {"customer_id": own.customer_id}
    if own.event_type in (PLACED, ADDED):
        said |= {"lines": len(own.items or ()), "total_cents": own.total_cents}
    if own.event_type == CANCELLED and own.reason is not None:
        said["reason"] = own.reason.replace("\0", UNWRITABLE)
    return said
