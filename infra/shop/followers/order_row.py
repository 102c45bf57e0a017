"""What an order's row in the shop's database becomes by one more of its events.

Data flow: OrderRow, kind of event, what it says -> OrderRow
Run: pytest tests/infra/test_order_row.py

These rules are the follower's own: that they give what the platform's fold of the same events gives is what
`daybreak shop-db check --orders` compares.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from infra.shop.followers.order_events import FAILED
from infra.shop.orders.order import ADDED, CANCELLED, CAPTURED, PLACED, REFUNDED, SHIPPED

FOUND = "row_found"
"""No event: the row as it was when the follower met the order for the first time; what is older is in it."""
NEW, OPEN, PAID, SENT, ENDED, BACK = "unknown", "placed", "paid", "shipped", "cancelled", "refunded"


@dataclass(frozen=True)
class OrderRow:
    """The columns that say how an order stands; amounts in cents. `is_shipped` is not a column: only of a refunded order the
    status does not tell it."""

    customer_id: str | None = None
    status: str = NEW
    lines: int | None = None
    total_cents: int | None = None
    paid_cents: int = 0
    failed_payments: int = 0
    reason: str | None = None
    is_shipped: bool = False

    @classmethod
    def read(cls, columns: Mapping[str, Any]) -> "OrderRow":
        """From the columns of a row."""
        return cls(**columns, is_shipped=columns["status"] == SENT)

    @property
    def is_known(self) -> bool:
        """Has it been placed, and not cancelled?"""
        return self.total_cents is not None and self.status != ENDED


def after(row: OrderRow, kind: str, said: Mapping[str, Any]) -> OrderRow:
    """The row after one more event; the same row where the event changes nothing."""
    if kind == FOUND:
        return OrderRow.read(said)
    if kind == PLACED:
        return _placed(row, said) if row.total_cents is None else row
    if kind == CANCELLED:
        return replace(row, status=ENDED, customer_id=said["customer_id"], reason=said["reason"])
    if kind in (ADDED, SHIPPED):
        return _served(row, kind, said)
    return _charged(row, kind, said)


def _placed(row: OrderRow, said: Mapping[str, Any]) -> OrderRow:
    status = row.status if row.status == ENDED else PAID if row.paid_cents > 0 else OPEN
    return replace(row, status=status, **{name: said[name] for name in ("customer_id", "lines", "total_cents")})


def _served(row: OrderRow, kind: str, said: Mapping[str, Any]) -> OrderRow:
    if row.total_cents is None or row.lines is None:
        return row
    if kind == ADDED:
        return replace(row, lines=row.lines + said["lines"], total_cents=row.total_cents + said["total_cents"])
    return replace(row, is_shipped=True, status=BACK if row.status == BACK else SENT) if row.is_known else row


def _charged(row: OrderRow, kind: str, said: Mapping[str, Any]) -> OrderRow:
    if kind == FAILED:
        return replace(row, failed_payments=row.failed_payments + 1)
    more = {CAPTURED: 1, REFUNDED: -1}[kind] * said["amount_cents"]
    row = replace(row, paid_cents=row.paid_cents + more)
    if not row.is_known:
        return row
    if more < 0:
        return row if row.paid_cents > 0 else replace(row, status=BACK)
    return replace(row, status=SENT if row.is_shipped else PAID) if row.paid_cents > 0 else row
