"""What the shop does, written into its database: one ordinary transaction per event.

Data flow: events of the story, in the order of their times -> INSERT, UPDATE, DELETE
Run: daybreak shop --days 0 --live 60

The rows have what such databases have: nulls, decimals, texts too long for a page (TOAST), and keys that change.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from random import Random
from typing import Any

from infra.shop.db import orders
from infra.shop.db.connection import Connection
from infra.shop.db.past import Dated, replayed
from infra.shop.event import Event
from infra.shop.run import Run

OPENING, LOW, MORE = 200, 20, 300
"""Pieces of a new product on hand; below LOW, MORE are bought."""
WAREHOUSES = ("nord", "sued", "west")
Fields = Mapping[str, Any]


class Writer:
    """One connection (autocommit) to the shop's database. `written` counts transactions.

    `has_orders`: write the table `orders` too; not where the order service decides which orders there are.
    """

    def __init__(self, connection: Connection, has_orders: bool = True) -> None:
        self.connection = connection
        # The stock first: a comparison locks the tables in this order too.
        self._ways = (CHANGES, orders.CHANGES) if has_orders else (CHANGES,)
        # A shop that waited for the disk after every row could not replay a day in seconds; a crash of the server may cost it
        # the last half second, of which then nothing was captured either.
        connection.execute("SET synchronous_commit = off")
        self.written = 0

    def write(self, event: Event, dated: Dated = lambda at: None) -> None:
        """What the event changes, in one transaction; nothing for an event that changes no table. `dated` says of one of the past
        when it was (infra/shop/db/past.py)."""
        fields = json.loads(event.value)
        changes = [way[fields["event_type"]] for way in self._ways if fields["event_type"] in way]
        if changes:
            at = datetime.fromtimestamp(event.time_ms / 1000, UTC)
            with self.connection.transaction():
                dated(at)
                for change in changes:
                    change(self.connection, fields, at)
            self.written += 1


class Follower:
    """Writes a run's events as their times come; `dated` as for `Writer.write`. Memory: the shop's, a second time."""

    def __init__(self, run: Run, writer: Writer, dated: Dated = lambda at: None) -> None:
        self._events = run.events()
        self._writer = writer
        self._dated = dated
        self._next = next(self._events, None)

    def __call__(self, reached_ms: int) -> None:
        """Write all that has happened by this time (epoch milliseconds)."""
        while self._next and self._next.time_ms <= reached_ms:
            self._writer.write(self._next, self._dated)
            self._next = next(self._events, None)


@contextmanager
def following(run: Run, writer: Writer) -> Iterator[Follower]:
    """A Follower; of a past run each transaction has the time of its event. Raises PermanentFailure as `replayed`."""
    if run.live:
        yield Follower(run, writer)
        return
    with replayed(writer.connection) as dated:
        yield Follower(run, writer, dated)


def _registered(own: Connection, f: Fields, at: datetime) -> None:
    note = None if f["customer_id"][-1] in "02468" else f"met in {f['region']}"
    own.execute(
        "INSERT INTO customers VALUES (%s, %s, %s, %s, %s) ON CONFLICT (customer_id) DO UPDATE "
        "SET name = excluded.name, region = excluded.region, note = excluded.note, changed_at = excluded.changed_at",
        [f["customer_id"], f["name"], f["region"], note, at],
    )


def _moved(own: Connection, f: Fields, at: datetime) -> None:
    own.execute(
        "UPDATE customers SET name = %s, region = %s, changed_at = %s WHERE customer_id = %s",
        [f["name"], f["region"], at, f["customer_id"]],
    )


def _left(own: Connection, f: Fields, at: datetime) -> None:
    own.execute("DELETE FROM customers WHERE customer_id = %s", [f["customer_id"]])


def _listed(own: Connection, f: Fields, at: datetime) -> None:
    rng = Random(f["product_id"])
    weight = None if rng.random() < 0.2 else Decimal(rng.randrange(10, 20_000)) / 1000
    # Random letters, because Postgres would compress others until they fit the page.
    description = None if rng.random() < 0.2 else "".join(rng.choices("abcdefghijklmnopqrstuvwxyz .", k=6_000))
    own.execute(
        "INSERT INTO products VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT (product_id) DO UPDATE "
        "SET title = excluded.title, price_cents = excluded.price_cents, changed_at = excluded.changed_at",
        [f["product_id"], f["title"], f["brand"], f["price_cents"], weight, description, at],
    )
    own.execute(
        "INSERT INTO stock SELECT %s, %s, %s, %s WHERE NOT EXISTS (SELECT 1 FROM stock WHERE product_id = %s)",
        [f["product_id"], rng.choice(WAREHOUSES), OPENING, at, f["product_id"]],
    )


def _changed(own: Connection, f: Fields, at: datetime) -> None:
    own.execute(
        "UPDATE products SET price_cents = %s, changed_at = %s WHERE product_id = %s",
        [f["price_cents"], at, f["product_id"]],
    )
    # Now and then its stock is moved to the next warehouse: the row gets another key.
    if f["price_cents"] % 10 == 0:
        row = own.execute("SELECT warehouse FROM stock WHERE product_id = %s FOR UPDATE", [f["product_id"]]).fetchone()
        if row:
            following = WAREHOUSES[(WAREHOUSES.index(row[0]) + 1) % len(WAREHOUSES)]
            own.execute(
                "UPDATE stock SET warehouse = %s, changed_at = %s WHERE product_id = %s AND warehouse = %s",
                [following, at, f["product_id"], row[0]],
            )


def _withdrawn(own: Connection, f: Fields, at: datetime) -> None:
    own.execute("DELETE FROM stock WHERE product_id = %s", [f["product_id"]])
    own.execute("DELETE FROM products WHERE product_id = %s", [f["product_id"]])


def _ordered(own: Connection, f: Fields, at: datetime) -> None:
    # In the order of the keys, as all writers lock them.
    for line in sorted(f["items"], key=lambda one: str(one["product_id"])):
        own.execute(
            "UPDATE stock SET on_hand = on_hand - %s + CASE WHEN on_hand - %s < %s THEN %s ELSE 0 END, changed_at = %s "
            "WHERE product_id = %s",
            [line["quantity"], line["quantity"], LOW, MORE, at, line["product_id"]],
        )


CHANGES: Mapping[str, Callable[[Connection, Fields, datetime], None]] = {
    "customer_registered": _registered,
    "customer_moved": _moved,
    "customer_left": _left,
    "product_listed": _listed,
    "product_changed": _changed,
    "product_withdrawn": _withdrawn,
    "order_placed": _ordered,
}
"""Event type -> what it does to customers, products and stock."""


def load(connection: Connection, rows: int, at: datetime) -> None:
    """A large import: so many rows of stock in one transaction, of a warehouse that nothing sells from."""
    with connection.transaction(), connection.cursor() as cursor, cursor.copy("COPY stock FROM STDIN") as copy:
        for number in range(rows):
            copy.write_row((f"import-{at:%H%M%S%f}-{number}", "import", number, at))
