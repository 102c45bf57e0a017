"""The rows of orders in the shop's database, which a follower of the service's events keeps: each event once, whatever dies."""

import json
import time
from random import Random
from typing import Any

import pytest
from database import Database
from order_kills import Load
from psycopg.rows import dict_row
from running import Platform, until

from infra.kafka.read_committed import committed
from infra.shop.db.connection import connected
from infra.shop.db.orders import STATE
from infra.shop.followers.copies import catches_up
from infra.shop.followers.follower import Record
from infra.shop.followers.lag import ends
from infra.shop.followers.order_events import OrderEvent, read
from infra.shop.followers.orders import ORDERS
from streaming.shop.order_state import State, after

pytestmark = pytest.mark.platform

DEATHS = 8
TOPICS = ("orders", "payments")


def rows(platform: Platform) -> dict[str, dict[str, Any]]:
    with connected(platform.settings) as own, own.cursor(row_factory=dict_row) as cursor:
        found = cursor.execute("SELECT * FROM orders").fetchall()
    return {row["order_id"]: {name: row[name] for name in STATE} for row in found}


def replayed() -> dict[str, dict[str, Any]]:
    """The fold of all events that the log has."""
    events: list[tuple[OrderEvent, dict[str, Any]]] = []
    for topic in TOPICS:
        for one in committed(topic):
            record = Record(topic, one.value(), one.key(), one.timestamp()[1], one.offset() or 0)
            if found := read(record):
                events.append((found, json.loads(record.value or b"")))
    states: dict[str, State] = {}
    for event, payload in sorted(events, key=lambda one: one[0].key):
        states[event.order_id] = after(states.get(event.order_id, State()), event.kind, payload)
    return {order: {name: getattr(state, name) for name in STATE} for order, state in states.items()}


def follows(platform: Platform) -> None:
    """Wait until the follower has read all."""
    catches_up(ORDERS, ORDERS.opened(platform.settings), ends(TOPICS, "read_uncommitted"))


def test_a_follower_that_dies_again_and_again_applies_each_event_once(platform: Platform) -> None:
    chance, died = Random(1), 0
    platform.wait_healthy("follower-orders")
    with Load(seed=2, pause=0.004) as load:
        while died < DEATHS:
            time.sleep(chance.uniform(0, 2))
            if platform.supervisor().processes()[ORDERS.program].pid:
                platform.kill(ORDERS.program)
                died += 1
    assert load.sent > DEATHS
    platform.wait_healthy("follower-orders")
    until(
        "all is answered",
        lambda: "0 not answered" in platform.run("daybreak", "order", "check", check=False).stdout,
        120,
    )
    follows(platform)
    found = rows(platform)
    assert found == replayed()
    assert {row["status"] for row in found.values()} >= {"placed", "paid", "shipped", "cancelled"}


def test_a_rebuild_mends_the_rows_and_reads_the_log_again(platform: Platform) -> None:
    Database(platform).run("UPDATE orders SET paid_cents = 7, status = 'paid'")
    said = platform.run("daybreak", "follower", "rebuild", "orders").stdout
    assert "orders is built from" in said
    follows(platform)
    assert rows(platform) == replayed()
    order = min(rows(platform))
    platform.wait_drained()
    assert "as the replay says" in platform.run("daybreak", "state", "--order", order).stdout
