"""The rows of orders in a real Postgres: each event is applied once, whenever it comes, and whatever dies when."""

import json
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

import pytest
from database_server import DatabaseServer
from psycopg.rows import dict_row

from infra.failures import PermanentFailure, TransientFailure
from infra.settings import Settings
from infra.shop.db.connection import connected
from infra.shop.db.orders import STATE
from infra.shop.followers import order_rows
from infra.shop.followers.follower import Record
from infra.shop.followers.order_events import OrderEvent
from infra.shop.followers.order_rows import OrderRows, again
from infra.shop.followers.orders import ORDERS
from streaming.shop.order_state import State, after

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
PLACE = ("orders", 0)
OF_PAYMENTS = ("payment_captured", "payment_failed", "payment_refunded")
KINDS = ("order_placed", "items_added", "order_shipped", "order_cancelled", *OF_PAYMENTS)


@pytest.fixture
def s(server: DatabaseServer) -> Settings:
    with connected(server.settings) as own:
        own.execute("DROP TABLE IF EXISTS order_events, follower_positions")
        own.execute("DELETE FROM orders")
    return server.settings


def event(
    number: int,
    kind: str,
    order: str = "o-00000001",
    minute: int | None = None,
    at: datetime | None = None,
    **more: Any,
) -> OrderEvent:
    said = {"customer_id": "c-1", "lines": 1, "total_cents": 300, "amount_cents": 300, "reason": "slow"} | more
    at = at or NOON + timedelta(minutes=number if minute is None else minute)
    topic = "payments" if kind in OF_PAYMENTS else "orders"
    return OrderEvent(str(UUID(int=number)), order, kind, at, NOON + timedelta(days=1), topic, number, said)


def rows(s: Settings) -> dict[str, dict[str, Any]]:
    with connected(s) as own, own.cursor(row_factory=dict_row) as cursor:
        return {row["order_id"]: row for row in cursor.execute("SELECT * FROM orders").fetchall()}


def told(s: Settings) -> dict[str, dict[str, Any]]:
    return {order: {name: row[name] for name in STATE} for order, row in rows(s).items()}


def replayed(events: list[OrderEvent]) -> dict[str, dict[str, Any]]:
    """What the platform's fold gives."""
    states: dict[str, State] = {}
    for one in sorted(events, key=lambda one: one.key):
        payload = {**one.said, "items": [{}] * one.said["lines"]}
        states[one.order_id] = after(states.get(one.order_id, State()), one.kind, payload)
    return {order: {name: getattr(state, name) for name in STATE} for order, state in states.items()}


def history(chance: Random, number: int, orders: int) -> list[OrderEvent]:
    """Events of some orders; some have equal times."""
    found = []
    for one in range(number):
        kind = chance.choices(KINDS, (5, 5, 5, 1, 5, 2, 5))[0]
        more = {"lines": chance.randrange(1, 4), "amount_cents": chance.choice((100, 300)), "reason": f"r{one}"}
        found.append(event(one, kind, f"o-{chance.randrange(orders):08}", one // 2, **more))
    return found


@pytest.mark.parametrize("disorder", [0, 3, 400])
def test_events_in_any_order_and_twice_give_what_the_fold_gives(s: Settings, disorder: int) -> None:
    chance = Random(disorder)
    events = history(chance, 400, 25)
    sent = sorted(events + chance.choices(events, k=60), key=lambda one: one.offset + chance.random() * disorder)
    followed = OrderRows(s)
    while sent:
        size = chance.randrange(1, 40)
        batch, sent = sent[:size], sent[size:]
        followed.apply(batch, {PLACE: 400 - len(sent)})
    assert told(s) == replayed(events)
    assert OrderRows(s).position() == {PLACE: 400}


def test_each_event_in_order_is_a_change_of_its_own(s: Settings) -> None:
    with connected(s) as own:
        own.execute("CREATE TABLE IF NOT EXISTS changed (at timestamptz)")
        own.execute(
            "CREATE OR REPLACE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS "
            "'BEGIN INSERT INTO changed VALUES (NEW.changed_at); RETURN NEW; END'"
        )
        own.execute("CREATE TRIGGER note AFTER INSERT OR UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION note()")
        events = [
            event(0, "order_placed"),
            event(1, "order_placed"),
            event(2, "payment_captured"),
            event(3, "items_added"),
        ]
        OrderRows(s).apply(events, {})
        own.execute("DROP TRIGGER note ON orders")
        times = {at for (at,) in own.execute("SELECT at FROM changed")}
    assert times == {events[0].at, events[2].at, events[3].at}, "the second placing changes nothing"


def test_what_dies_within_a_transaction_leaves_nothing(s: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    OrderRows(s).apply([event(0, "order_placed")], {PLACE: 1})
    followed, before = OrderRows(s), rows(s)
    with monkeypatch.context() as patch:

        def dies(*_: Any) -> None:
            raise KeyboardInterrupt

        # After the rows and before the position.
        patch.setattr(order_rows, "_json", dies)
        with pytest.raises(KeyboardInterrupt):
            followed.apply([event(1, "payment_failed")], {PLACE: 2})
    assert rows(s) == before
    OrderRows(s).apply([event(1, "payment_failed")], {PLACE: 2})
    assert told(s)["o-00000001"]["failed_payments"] == 1


def test_a_second_writer_is_noticed(s: Settings) -> None:
    first, second = OrderRows(s), OrderRows(s)
    first.apply([event(0, "order_placed")], {PLACE: 1})
    with pytest.raises(TransientFailure, match="not where their follower left them"):
        second.apply([event(1, "payment_failed")], {PLACE: 2})
    assert told(s)["o-00000001"]["failed_payments"] == 0


def test_a_row_that_the_shop_wrote_is_gone_on_from(s: Settings) -> None:
    with connected(s) as own:
        own.execute(
            "INSERT INTO orders (order_id, customer_id, status, lines, total_cents, paid_cents, changed_at) "
            "VALUES ('o-00000001', 'c-7', 'paid', 2, 900, 900, %s)",
            [NOON + timedelta(minutes=5)],
        )
    OrderRows(s).apply([event(5, "payment_captured"), event(9, "payment_failed"), event(3, "order_placed")], {})
    row = told(s)["o-00000001"]
    assert (row["customer_id"], row["paid_cents"], row["failed_payments"]) == ("c-7", 900, 1)
    OrderRows(s).apply([event(4, "payment_failed")], {PLACE: 1})
    assert told(s)["o-00000001"] == row, "its time is before the row's"


@pytest.mark.parametrize("stamp", ["infinity", "-infinity", "20000-01-01", "0044-03-15 BC"])
def test_a_row_with_any_stamp_is_gone_on_from(s: Settings, stamp: str) -> None:
    with connected(s) as own:
        own.execute(
            "INSERT INTO orders (order_id, status, lines, total_cents, changed_at) VALUES ('o-00000001', 'placed', 2, 500, %s)",
            [stamp],
        )
    OrderRows(s).apply([event(1, "payment_captured", at=datetime.now(UTC) + timedelta(seconds=9))], {PLACE: 1})
    assert told(s)["o-00000001"]["status"] == "paid"


def test_rows_that_were_changed_by_hand_are_mended_from_their_events(s: Settings) -> None:
    events = history(Random(4), 200, 20)
    OrderRows(s).apply(events, {PLACE: 200})
    with connected(s) as own:
        own.execute("UPDATE orders SET paid_cents = 1, status = 'paid' WHERE order_id < 'o-00000010'")
        own.execute("DELETE FROM orders WHERE order_id = 'o-00000012'")
    assert again(s) == 200
    followed = OrderRows(s)
    assert (told(s), followed.position()) == (replayed(events), {})
    # The log is read again.
    followed.apply(events, {PLACE: 200})
    assert told(s) == replayed(events)


def test_amounts_that_no_column_can_have_stop_nothing(s: Settings) -> None:
    huge = [event(0, "order_placed"), *(event(1 + one, "items_added", total_cents=10**18) for one in range(20))]
    OrderRows(s).apply(huge, {PLACE: 1})
    assert told(s)["o-00000001"]["total_cents"] == 10**18


def test_records_become_rows_and_a_table_that_is_gone_is_told(s: Settings) -> None:
    fields = {
        "event_id": str(UUID(int=1)),
        "event_type": "order_cancelled",
        "event_time": 1769860800000,
        "schema_version": 1,
    }
    fields |= {"order_id": "o-00000009", "customer_id": "c-9", "reason": "a\0b"}
    followed = ORDERS.opened(s)
    record = Record("orders", json.dumps(fields).encode(), b"o-00000009", 1769860800000, 0)
    followed.apply([Record("payments", b"{", None, 0, 0), record], {PLACE: 1})
    assert told(s)["o-00000009"]["reason"] == "a\ufffdb"
    with connected(s) as own:
        own.execute("ALTER TABLE orders RENAME TO past_orders")
        with pytest.raises(PermanentFailure, match='relation "orders" does not exist'):
            followed.apply([record._replace(value=record.value.replace(b"0001", b"0002"))], {PLACE: 2})
        own.execute("ALTER TABLE past_orders RENAME TO orders")
