"""The state of an order: a fold over its events, so that any past state is what some of them give.

Data flow: one order's events, in the order of their event times -> the state after each
Run: daybreak state --order o-0123abcd
Source: event sourcing: Kleppmann, Designing Data-Intensive Applications, chapter 11.

Nothing is changed in place. A state "at T" is the fold of the events that happened until T, and a state "as known at T" that of
the events that had arrived until T.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any


class Status(StrEnum):
    """Where an order stands."""

    UNKNOWN = "unknown"
    """No event has placed it: only payments are known."""
    PLACED = "placed"
    PAID = "paid"
    SHIPPED = "shipped"
    CANCELLED = "cancelled"
    REFUNDED = "refunded"


@dataclass(frozen=True)
class State:
    """An order after some of its events; amounts in cents. `paid_cents` is captured less refunded. One that was shipped stays
    shipped, also if what was paid for it is given back."""

    status: Status = Status.UNKNOWN
    customer_id: str | None = None
    lines: int | None = None
    total_cents: int | None = None
    paid_cents: int = 0
    failed_payments: int = 0
    reason: str | None = None
    is_shipped: bool = False


Payload = Mapping[str, Any]


def after(state: State, event_type: str, payload: Payload) -> State:
    """The state after one more event; the same state where the event changes nothing, e.g. an order that is placed twice."""
    change = _CHANGES.get(event_type)
    return change(state, payload) if change else state


def _placed(state: State, payload: Payload) -> State:
    if state.total_cents is not None:
        return state
    placed = replace(
        state,
        customer_id=payload["customer_id"],
        lines=len(payload["items"]),
        total_cents=payload["total_cents"],
    )
    return placed if placed.status is Status.CANCELLED else _by_money(placed, Status.PLACED)


def _added(state: State, payload: Payload) -> State:
    """More lines of an order that was placed; what is added before the order is known is not part of it."""
    if state.total_cents is None or state.lines is None:
        return state
    return replace(
        state, lines=state.lines + len(payload["items"]), total_cents=state.total_cents + payload["total_cents"]
    )


def _shipped(state: State, payload: Payload) -> State:
    if state.total_cents is None or state.status is Status.CANCELLED:
        return state
    sent = replace(state, is_shipped=True)
    return sent if sent.status is Status.REFUNDED else replace(sent, status=Status.SHIPPED)


def _cancelled(state: State, payload: Payload) -> State:
    return replace(state, status=Status.CANCELLED, customer_id=payload["customer_id"], reason=payload["reason"])


def _captured(state: State, payload: Payload) -> State:
    return _by_money(replace(state, paid_cents=state.paid_cents + payload["amount_cents"]), state.status)


def _failed(state: State, payload: Payload) -> State:
    return replace(state, failed_payments=state.failed_payments + 1)


def _refunded(state: State, payload: Payload) -> State:
    left = replace(state, paid_cents=state.paid_cents - payload["amount_cents"])
    was_sold = left.status in (Status.PLACED, Status.PAID, Status.SHIPPED)
    return replace(left, status=Status.REFUNDED) if was_sold and left.paid_cents <= 0 else left


def _by_money(state: State, otherwise: Status) -> State:
    """Paid (or shipped, if it was), if something was captured for an order that was placed and not cancelled; refunded money
    may come again."""
    may_be_paid = state.total_cents is not None and otherwise is not Status.CANCELLED and state.paid_cents > 0
    paid = Status.SHIPPED if state.is_shipped else Status.PAID
    return replace(state, status=paid if may_be_paid else otherwise)


_CHANGES: Mapping[str, Callable[[State, Payload], State]] = MappingProxyType(
    {
        "order_placed": _placed,
        "items_added": _added,
        "order_shipped": _shipped,
        "order_cancelled": _cancelled,
        "payment_captured": _captured,
        "payment_failed": _failed,
        "payment_refunded": _refunded,
    }
)
