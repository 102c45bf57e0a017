"""Three ways to an order's state: its row in the shop's database, the replay of its events, the captured changes of the row."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from database import Database
from psycopg.conninfo import make_conninfo
from psycopg.rows import dict_row

from infra.failures import PermanentFailure
from infra.postgres_roles import Role
from infra.shop.db import orders
from infra.shop.db.connection import connected, dsn
from infra.shop.db.tables import create, made, missing
from streaming.shop.order_state import State, after

pytestmark = pytest.mark.platform

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
WRITES: dict[str, Callable[..., None]] = {**orders.CHANGES}


def compared(database: Database) -> tuple[int, list[dict[str, Any]], str]:
    """Exit code, the three ways, and the sentence, if it is an error."""
    done = database.platform.run("daybreak", "shop-db", "check", "--orders", "--json", check=False)
    return done.returncode, json.loads(done.stdout), done.stderr


def test_all_orders_of_the_shops_day_agree_in_three_ways(database: Database) -> None:
    code, (replay, *captured), said = compared(database)
    assert code == 0, said
    (number,) = database.run("SELECT count(*) FROM orders")[0]
    assert number > 50
    assert {way["way"] for way in captured} == {
        "the captured changes, in the log",
        "the captured changes, in the stream",
    }
    assert all(way["orders"] == way["equal"] == number for way in captured)
    # An event that is late in a live run is dated before the run: its row says another time.
    assert replay["orders"] == number == replay["equal"] + replay["waiting"]
    assert replay["equal"] > number - 3
    statuses = {status for (status,) in database.run("SELECT DISTINCT status FROM orders")}
    assert {"placed", "paid", "cancelled"} <= statuses


def test_a_changed_row_is_found_and_named(database: Database) -> None:
    ((order, cents),) = database.run(
        "SELECT order_id, paid_cents FROM orders WHERE status = 'paid' ORDER BY order_id LIMIT 1"
    )
    database.run(f"UPDATE orders SET paid_cents = 1 WHERE order_id = '{order}'")
    code, (replay, *captured), said = compared(database)
    assert code == 65
    why = f"{order}: paid_cents is 1 in the database, and {cents} by the replay of its events"
    assert (replay["differing"], replay["first"]) == (1, why)
    assert why in said
    assert all(way["differing"] == 0 for way in captured), "the change was captured"
    told = database.platform.run("daybreak", "state", "--order", order).stdout
    assert f"the shop's database: paid_cents is 1 in the database, and {cents} by the replay" in told
    database.run(f"UPDATE orders SET paid_cents = {cents} WHERE order_id = '{order}'")
    assert compared(database)[0] == 0
    assert "as the replay says" in database.platform.run("daybreak", "state", "--order", order).stdout


def test_the_lab_finds_an_order_in_every_form(database: Database) -> None:
    platform = database.platform
    ((order,),) = database.run("SELECT order_id FROM orders WHERE status = 'paid' ORDER BY order_id LIMIT 1")
    database.checked()
    done = platform.run("daybreak", "lab", "cqrs", "--order", order, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    kept = json.loads((platform.settings.home / "lab" / "cqrs.json").read_text())["rows"]
    stores = ("Kafka's log", "silver", "Postgres", "Valkey")
    assert {row["kept in"] for row in kept} >= {*stores}
    assert {row["says"] for row in kept if row["kept in"] in stores[1:]} == {"paid"}
    database.run(f"UPDATE orders SET status = 'placed' WHERE order_id = '{order}'")
    done = platform.run("daybreak", "lab", "cqrs", "--order", order, check=False)
    assert done.returncode == 65
    assert "a row says placed" in done.stderr
    database.run(f"UPDATE orders SET status = 'paid' WHERE order_id = '{order}'")


def test_a_row_whose_event_has_not_come_waits(database: Database) -> None:
    database.run("INSERT INTO orders (order_id, status, changed_at) VALUES ('o-00000900', 'unknown', now())")
    code, (replay, *_), said = compared(database)
    assert code == 0, said
    assert replay["waiting"] > 0
    database.run("UPDATE orders SET changed_at = now() - interval '3 days' WHERE order_id = 'o-00000900'")
    database.run("DELETE FROM orders WHERE order_id = 'o-00000900'")
    assert compared(database)[0] == 0


def test_the_shops_rules_give_what_the_fold_gives(database: Database) -> None:
    rng = Random(1)
    with connected(database.platform.settings) as own:
        # Shadows the shop's own table in this session, and is not captured.
        own.execute("CREATE TEMPORARY TABLE orders (LIKE public.orders INCLUDING ALL)")
        cursor = own.cursor(row_factory=dict_row)
        for number in range(150):
            order, state = f"o-{number:08}", State()
            for minute in range(rng.randrange(1, 10)):
                kind, at = rng.choice([*WRITES]), NOON + timedelta(minutes=minute)
                fields = {"order_id": order, "customer_id": f"c-{rng.randrange(3)}", "reason": rng.choice(("", "slow"))}
                fields |= {"items": [{}] * rng.randrange(1, 4), "total_cents": 300}
                fields |= {"amount_cents": rng.choice((100, 200, 300))}
                state = after(state, kind, fields)
                for _ in range(2):
                    # The second time it changes nothing.
                    WRITES[kind](own, fields, at)
                row = cursor.execute("SELECT * FROM orders WHERE order_id = %s", [order]).fetchone() or {}
                assert {name: row[name] for name in orders.STATE} == {
                    name: getattr(state, name) for name in orders.STATE
                }, kind


def test_a_database_without_the_table_gets_it_unless_it_had_one(database: Database) -> None:
    own = database.platform.settings
    with connected(own, Role.OWNER) as server:
        server.execute("DROP DATABASE IF EXISTS shop_of_old")
        server.execute("CREATE DATABASE shop_of_old OWNER shop")
    old = own.model_copy(update={"shop_dsn": make_conninfo(dsn(own), dbname="shop_of_old")})
    create(old)
    with connected(old) as server:
        # As a version made it that did not know the table.
        server.execute("DROP TABLE orders")
        server.execute("DELETE FROM marks")
        create(old)
        assert missing(old) is None
        assert made(server, "orders") is not None
        server.execute("ALTER TABLE orders RENAME TO past_orders")
        for _ in range(2):
            assert "has no public.orders (renamed or dropped?)" in str(missing(old))
            with pytest.raises(PermanentFailure, match=r"has no public\.orders"):
                create(old)
            server.execute("DROP TABLE IF EXISTS past_orders")
    database.run("DROP DATABASE shop_of_old")
