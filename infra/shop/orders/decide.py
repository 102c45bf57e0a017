"""Accept or reject a command: the rules of the shop, in one place.

Data flow: State and a command -> the fact that it makes, or the reason of its rejection
Run: pytest tests/infra/test_order_service.py
Source: Chassaing, "Functional Event Sourcing Decider": decide and evolve are two functions.

One command makes one fact. Nothing is changed in place: a refund and a cancellation are new events. Nobody else decides, so there
is no lock: of two customers who buy the last piece, the one whose command comes first in the service's order gets it.
"""

from collections import Counter
from enum import StrEnum
from typing import Any

from infra.event_time import AHEAD, MILLISECOND
from infra.shop.orders.answered import HORIZON_MS
from infra.shop.orders.commands import SHOP, Add, Cancel, Command, Item, Pay, Place, Receive, Refund, Ship
from infra.shop.orders.order import ADDED, CANCELLED, CAPTURED, PLACED, RECEIVED, REFUNDED, SHIPPED, Fact, Order
from infra.shop.orders.state import State

AHEAD_MS = AHEAD // MILLISECOND
"""How far a command's time may be ahead of its arrival, as in the stream."""
MOST_LINES = 100


class Reason(StrEnum):
    """Why a command is rejected."""

    MALFORMED = "malformed"
    """It is no command at all; the stream's quarantine names the rule."""
    UNKNOWN_VERSION = "unknown_version"
    TOO_OLD = "too_old"
    """It came so late that whether it was answered before is no longer known."""
    IN_THE_FUTURE = "in_the_future"
    UNKNOWN_ORDER = "unknown_order"
    NOT_YOUR_ORDER = "not_your_order"
    ALREADY_PLACED = "already_placed"
    OUT_OF_STOCK = "out_of_stock"
    TOO_MANY_ITEMS = "too_many_items"
    IS_CANCELLED = "is_cancelled"
    IS_SHIPPED = "is_shipped"
    NOT_PAID = "not_paid"
    PAYMENT_IS_KNOWN = "payment_is_known"
    UNKNOWN_PAYMENT = "unknown_payment"
    MORE_THAN_IS_DUE = "more_than_is_due"
    MORE_THAN_WAS_PAID = "more_than_was_paid"
    NOT_ALLOWED = "not_allowed"


class Rejected(Exception):
    """The command changes nothing."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.value)
        self.reason = reason


def decide(state: State, command: Command, arrival_ms: int) -> Fact:
    """The fact that an accepted command makes; `arrival_ms` by the broker's clock. Raises Rejected."""
    _refuse(command.event_time > arrival_ms + AHEAD_MS, Reason.IN_THE_FUTURE)
    _refuse(command.event_time < arrival_ms - HORIZON_MS, Reason.TOO_OLD)
    if isinstance(command, Receive):
        _refuse(command.customer_id != SHOP, Reason.NOT_ALLOWED)
        return Fact(RECEIVED, {"items": _written(command.items)}, command.event_time, None)
    if isinstance(command, Place):
        _refuse(command.order_id in state.orders, Reason.ALREADY_PLACED)
        _reserve(state, command.items)
        placed = _bought(command) | ({"channel": command.channel, "currency": "EUR"} if command.channel else {})
        return Fact(PLACED, placed, command.event_time, command.order_id)
    order = state.order(command.order_id)
    if order is None:
        raise Rejected(Reason.UNKNOWN_ORDER)
    _refuse(order.customer_id != command.customer_id, Reason.NOT_YOUR_ORDER)
    kind, payload = _of_order(state, order, command)
    # An order's events have times in the order in which they were decided, whatever the clocks of its clients say.
    return Fact(kind, payload, max(command.event_time, order.last_ms + 1), command.order_id)


def _of_order(state: State, order: Order, command: Add | Pay | Ship | Cancel | Refund) -> tuple[str, dict[str, Any]]:
    own = {"order_id": command.order_id}
    if isinstance(command, Refund):
        payment = order.payments.get(command.payment_id)
        if payment is None:
            raise Rejected(Reason.UNKNOWN_PAYMENT)
        _refuse(command.amount_cents > payment.captured - payment.refunded, Reason.MORE_THAN_WAS_PAID)
        return REFUNDED, {
            "payment_id": command.payment_id,
            **own,
            "card_id": payment.card_id,
            "amount_cents": command.amount_cents,
        }
    _refuse(order.is_cancelled, Reason.IS_CANCELLED)
    if isinstance(command, Pay):
        _refuse(command.payment_id in order.payments, Reason.PAYMENT_IS_KNOWN)
        _refuse(order.paid_cents + command.amount_cents > order.total_cents, Reason.MORE_THAN_IS_DUE)
        paid = {"card_id": command.card_id, "amount_cents": command.amount_cents}
        return CAPTURED, {"payment_id": command.payment_id, **own, **paid}
    _refuse(order.is_shipped, Reason.IS_SHIPPED)
    own |= {"customer_id": command.customer_id}
    if isinstance(command, Cancel):
        return CANCELLED, own | {"reason": command.reason}
    if isinstance(command, Ship):
        _refuse(order.paid_cents < order.total_cents, Reason.NOT_PAID)
        return SHIPPED, own
    _refuse(order.lines + len(command.items) > MOST_LINES, Reason.TOO_MANY_ITEMS)
    _reserve(state, command.items)
    return ADDED, _bought(command)


def _bought(command: Place | Add) -> dict[str, Any]:
    return {
        "order_id": command.order_id,
        "customer_id": command.customer_id,
        "items": _written(command.items),
        "total_cents": command.total_cents,
    }


def _written(items: list[Item]) -> list[dict[str, Any]]:
    return [item.model_dump() for item in items]


def _reserve(state: State, items: list[Item]) -> None:
    wanted: Counter[str] = Counter()
    for item in items:
        wanted[item.product_id] += item.quantity
    short = any(state.stock.get(product, quantity) < quantity for product, quantity in wanted.items())
    _refuse(short, Reason.OUT_OF_STOCK)


def _refuse(broken: bool, reason: Reason) -> None:
    if broken:
        raise Rejected(reason)
