"""An order's row, as a shop keeps it: each event of the order is one INSERT or UPDATE.

Data flow: order_placed, order_cancelled, payment_* -> table `orders`
Run: daybreak shop --days 0 --live 60

With the order service on, the follower `orders` writes the rows (infra/shop/followers/order_rows.py), and the shop none.

The rules are the shop's own, written in SQL: that they give what the platform's fold of the same events gives is what
`daybreak shop-db check --orders` compares. Events come in the order of their times, so one that is not newer than the row was
written before: a run of the shop may be sent twice.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from psycopg.errors import UndefinedTable
from psycopg.rows import dict_row

from infra.failures import PermanentFailure
from infra.settings import Settings
from infra.shop.db.connection import Connection, connected

Fields = Mapping[str, Any]
STATE = ("customer_id", "status", "lines", "total_cents", "paid_cents", "failed_payments", "reason")
"""The columns that say how the order stands."""

_NEWER = "orders.changed_at < excluded.changed_at"
_PLACED = f"""
INSERT INTO orders (order_id, customer_id, status, lines, total_cents, changed_at) VALUES (%s, %s, 'placed', %s, %s, %s)
ON CONFLICT (order_id) DO UPDATE SET
    customer_id = excluded.customer_id, lines = excluded.lines, total_cents = excluded.total_cents,
    changed_at = excluded.changed_at,
    status = CASE WHEN orders.status = 'cancelled' THEN orders.status WHEN orders.paid_cents > 0 THEN 'paid' ELSE 'placed' END
WHERE orders.total_cents IS NULL AND {_NEWER}"""
_CANCELLED = f"""
INSERT INTO orders (order_id, customer_id, status, reason, changed_at) VALUES (%s, %s, 'cancelled', %s, %s)
ON CONFLICT (order_id) DO UPDATE SET
    customer_id = excluded.customer_id, status = excluded.status, reason = excluded.reason, changed_at = excluded.changed_at
WHERE {_NEWER}"""
_PAYMENT = f"""
INSERT INTO orders (order_id, status, paid_cents, failed_payments, changed_at) VALUES (%s, 'unknown', %s, %s, %s)
ON CONFLICT (order_id) DO UPDATE SET
    paid_cents = orders.paid_cents + excluded.paid_cents,
    failed_payments = orders.failed_payments + excluded.failed_payments,
    changed_at = excluded.changed_at,
    status = CASE
        WHEN orders.total_cents IS NULL OR orders.status = 'cancelled' THEN orders.status
        WHEN orders.paid_cents + excluded.paid_cents > 0 THEN 'paid'
        WHEN excluded.paid_cents < 0 THEN 'refunded'
        ELSE orders.status END
WHERE {_NEWER}"""


def _placed(own: Connection, f: Fields, at: datetime) -> None:
    own.execute(_PLACED, [f["order_id"], f["customer_id"], len(f["items"]), f["total_cents"], at])


def _cancelled(own: Connection, f: Fields, at: datetime) -> None:
    own.execute(_CANCELLED, [f["order_id"], f["customer_id"], f["reason"], at])


def _captured(own: Connection, f: Fields, at: datetime) -> None:
    own.execute(_PAYMENT, [f["order_id"], f["amount_cents"], 0, at])


def _failed(own: Connection, f: Fields, at: datetime) -> None:
    own.execute(_PAYMENT, [f["order_id"], 0, 1, at])


def _refunded(own: Connection, f: Fields, at: datetime) -> None:
    own.execute(_PAYMENT, [f["order_id"], -f["amount_cents"], 0, at])


CHANGES: Mapping[str, Callable[[Connection, Fields, datetime], None]] = {
    "order_placed": _placed,
    "order_cancelled": _cancelled,
    "payment_captured": _captured,
    "payment_failed": _failed,
    "payment_refunded": _refunded,
}
"""Event type -> what it does to the order's row."""


def row(s: Settings, order: str) -> dict[str, Any] | None:
    """An order's row; None if there is none.

    Raises TransientFailure if the database does not answer, PermanentFailure if it has no such table.
    """
    try:
        with connected(s) as own, own.cursor(row_factory=dict_row) as cursor:
            return cursor.execute("SELECT * FROM orders WHERE order_id = %s", [order]).fetchone()
    except UndefinedTable as failure:
        raise PermanentFailure("the shop's database has no table orders: see daybreak status") from failure
