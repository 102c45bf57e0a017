"""The rows of table `orders` as a follower keeps them, with their events and the position, in one transaction.

Data flow: OrderEvents -> tables `order_events`, `orders`, `follower_positions` of the shop's database
Run: daybreak follower lag

The events come on two topics, and some of them late or twice. So all of them are kept, once by their ids: an order whose event is
older than one that was applied is folded anew. The tables of events and positions are not captured.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import reduce
from itertools import groupby
from typing import Any

from psycopg import Cursor
from psycopg.errors import UndefinedTable
from psycopg.rows import dict_row

from infra.failures import PermanentFailure, TransientFailure
from infra.settings import Settings
from infra.shop.db.connection import Connection, connected
from infra.shop.db.orders import STATE
from infra.shop.db.past import followed
from infra.shop.followers.follower import Position, as_text, from_text
from infra.shop.followers.order_events import OrderEvent
from infra.shop.followers.order_row import BACK, FOUND, OrderRow, after

NAME = "orders"
PAGE = 2000
"""Rows that the server sends, or is sent, at a time."""
LAST = datetime(9000, 1, 1, tzinfo=UTC)
"""An arrival behind those of all events of the same time."""
MOST = 10**18
"""The largest amount that a row may have, as in the contract of its changes."""

_TABLES = """
CREATE TABLE IF NOT EXISTS order_events (
    event_id text PRIMARY KEY, order_id text NOT NULL, kind text NOT NULL, at timestamptz NOT NULL,
    arrival timestamptz NOT NULL, topic text NOT NULL, place bigint NOT NULL, said jsonb NOT NULL);
CREATE INDEX IF NOT EXISTS order_events_in_order ON order_events (order_id, at, arrival, topic, place);
CREATE TABLE IF NOT EXISTS follower_positions (follower text PRIMARY KEY, position jsonb NOT NULL)
"""
_IS_MADE = "SELECT 1 WHERE num_nulls(to_regclass('order_events_in_order'), to_regclass('follower_positions')) = 0"
_KEEP = """
INSERT INTO order_events SELECT * FROM unnest(%s::text[], %s::text[], %s::text[], %s::timestamptz[], %s::timestamptz[],
    %s::text[], %s::bigint[], %s::jsonb[])
ON CONFLICT DO NOTHING RETURNING event_id"""
_NEWEST = """
SELECT own.id, newest.* FROM unnest(%s::text[]) AS own (id) CROSS JOIN LATERAL (
    SELECT at, arrival, topic, place FROM order_events WHERE order_id = own.id
    ORDER BY order_id DESC, at DESC, arrival DESC, topic DESC, place DESC LIMIT 1) AS newest"""
_COLUMNS = ", ".join(STATE)
_NEW_COLUMNS = ", ".join(f"excluded.{name}" for name in STATE)
# A stamp that somebody wrote may be any: a row knows nothing that is yet to come.
_KNOWN = "greatest(least(changed_at, now()), 'epoch') AS changed_at"
_WRITE = f"""
INSERT INTO orders (order_id, {_COLUMNS}, changed_at) VALUES (%s, {", ".join(["%s"] * len(STATE))}, %s)
ON CONFLICT (order_id) DO UPDATE SET ({_COLUMNS}, changed_at) = ({_NEW_COLUMNS}, excluded.changed_at)
WHERE ({", ".join(f"orders.{name}" for name in STATE)}) IS DISTINCT FROM ({_NEW_COLUMNS})"""
_LOST = "the rows of orders are not where their follower left them, which begins anew from there"


@dataclass(frozen=True)
class _Met:
    """An order when events of it come: its row and when that was changed, and the place of its newest event, if any."""

    row: OrderRow | None
    changed_at: datetime | None
    newest: tuple[Any, ...] | None


class OrderRows:
    """The rows; opened, its tables are there. `apply` needs to be their only writer, and refuses where another one was."""

    def __init__(self, s: Settings) -> None:
        self._s = s
        with _answers(), connected(s) as own, own.transaction():
            # An index that is there already would still lock its table first.
            if not own.execute(_IS_MADE).fetchone():
                own.execute(_TABLES)
            own.execute("INSERT INTO follower_positions VALUES (%s, '{}') ON CONFLICT DO NOTHING", [NAME])
        self._left = self.position()

    def position(self) -> Position:
        """Up to where events were applied."""
        with _answers(), connected(self._s) as own:
            return _position(own)

    def apply(self, events: Sequence[OrderEvent], position: Position) -> None:
        """Apply events, each once by its id, and go on to the position, in one transaction.

        Raises TransientFailure if the position is not where it was left, PermanentFailure if a table is gone.
        """
        # Of two with one id the first that arrived counts, as in the stream.
        by_id: dict[str, OrderEvent] = {}
        for one in sorted(events, key=lambda one: (one.arrival, one.topic, one.offset)):
            by_id.setdefault(one.event_id, one)
        with _answers(), connected(self._s) as own, followed(own) as dated, own.transaction():
            if _position(own, "FOR UPDATE") != self._left:
                raise TransientFailure(_LOST)
            if by_id:
                dated(max(one.at for one in by_id.values()))
                _apply(own, by_id)
            own.execute("UPDATE follower_positions SET position = %s WHERE follower = %s", [_json(position), NAME])
        self._left = dict(position)

    def close(self) -> None:
        """Nothing stays open."""


def again(s: Settings) -> int:
    """Fold every order anew from its events, and read the log from its beginning; how many events there are.

    Memory: one order's row. Events that were applied are applied no second time.
    """
    OrderRows(s)
    number = 0
    with _answers(), connected(s) as own, own.transaction():
        own.execute("UPDATE follower_positions SET position = '{}' WHERE follower = %s", [NAME])
        with own.cursor(name="events") as events, own.cursor() as rows:
            for order, lines in groupby(_stored(events, None), key=lambda line: line[0]):
                row, last = OrderRow(), LAST
                for _, kind, at, said in lines:
                    row, last, number = after(row, kind, said), at, number + 1
                rows.execute(_WRITE, _written(order, row, last))
    return number


def _apply(own: Connection, by_id: Mapping[str, OrderEvent]) -> None:
    # In the order of the keys, as all writers lock them.
    orders = sorted({one.order_id for one in by_id.values()})
    met = _met(own, orders)
    found = [_found(order, one) for order, one in met.items() if one.row and one.changed_at and not one.newest]
    _keep(own, found)
    new = _keep(own, list(by_id.values()))
    events = sorted((by_id[name] for name in new), key=lambda one: (one.order_id, *one.key))
    changes: list[list[Any]] = []
    for order, own_events in groupby(events, key=lambda one: one.order_id):
        changes += _changes(own, order, list(own_events), met[order])
    with own.cursor() as cursor:
        cursor.executemany(_WRITE, changes)


def _met(own: Connection, orders: Sequence[str]) -> dict[str, _Met]:
    with own.cursor(row_factory=dict_row) as cursor:
        cursor.execute(
            f"SELECT order_id, {_COLUMNS}, {_KNOWN} FROM orders WHERE order_id = ANY(%s) ORDER BY 1 FOR UPDATE",
            [orders],
        )
        changed = {row.pop("order_id"): (row.pop("changed_at"), row) for row in cursor}
    newest = {order: tuple(place) for order, *place in own.execute(_NEWEST, [orders])}
    met = dict.fromkeys(orders, _Met(None, None, None))
    met |= {order: _Met(OrderRow.read(row), at, None) for order, (at, row) in changed.items()}
    return met | {order: replace(met[order], newest=place) for order, place in newest.items()}


def _found(order: str, one: _Met) -> OrderEvent:
    """The row that somebody wrote before: events until its time are in it."""
    assert one.row is not None
    assert one.changed_at is not None
    said = {name: getattr(one.row, name) for name in STATE}
    return OrderEvent(f"{FOUND} {order}", order, FOUND, one.changed_at, LAST, "", 0, said)


def _keep(own: Connection, events: Sequence[OrderEvent]) -> set[str]:
    """Keep events; the ids of those that were not there."""
    columns = [[*column] for column in zip(*((*one[:7], json.dumps(one.said)) for one in events), strict=True)]
    return {row[0] for row in own.execute(_KEEP, columns)} if columns else set()


def _changes(own: Connection, order: str, events: Sequence[OrderEvent], met: _Met) -> Iterator[list[Any]]:
    """A change of the row per new event, each with the event's time, as a shop would have made it; one change if all is folded
    anew: an event is older than one that was applied, somebody else wrote the row, or its status does not tell all."""
    is_next = met.newest is None or events[0].key > met.newest
    if is_next and (met.row is None) == (met.newest is None) and (met.row is None or met.row.status != BACK):
        row = met.row or OrderRow()
        for one in events:
            row = after(row, one.kind, one.said)
            yield _written(order, row, one.at)
        return
    with own.cursor(name="events") as cursor:
        row = reduce(lambda row, line: after(row, line[1], line[3]), _stored(cursor, order), OrderRow())
    yield _written(order, row, events[-1].at)


def _stored(cursor: Cursor[Any], order: str | None) -> Iterator[tuple[str, str, datetime, Any]]:
    """The events of one order or of all, as they are folded."""
    cursor.itersize = PAGE  # type: ignore[attr-defined]
    of_order = "WHERE order_id = %s" if order else ""
    columns, places = "order_id, kind, at, said", "order_id, at, arrival, topic, place"
    yield from cursor.execute(
        f"SELECT {columns} FROM order_events {of_order} ORDER BY {places}", [order] if order else []
    )


def _written(order: str, row: OrderRow, at: datetime) -> list[Any]:
    values = (getattr(row, name) for name in STATE)
    return [order, *(max(-MOST, min(MOST, one)) if isinstance(one, int) else one for one in values), at]


def _position(own: Connection, lock: str = "") -> Position:
    found = own.execute(f"SELECT position FROM follower_positions WHERE follower = %s {lock}", [NAME]).fetchone()
    return from_text(found[0]) if found else {}


def _json(position: Position) -> str:
    return json.dumps(as_text(position))


@contextmanager
def _answers() -> Iterator[None]:
    try:
        yield
    except UndefinedTable as failure:
        said = str(failure).splitlines()[0]
        raise PermanentFailure(f"{said}: see daybreak status; then daybreak restart follower-orders") from failure
