"""Beside a session that is idle in a transaction: who starts, compares or follows waits for nobody, and nobody for them."""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import psycopg
import pytest
from database_server import DatabaseServer
from pgoutput import changes

from infra.capture.envelope import READ
from infra.failures import TransientFailure
from infra.settings import Settings
from infra.shop.db import tables
from infra.shop.db.changes import Change, folded
from infra.shop.db.connection import connected, dsn
from infra.shop.db.locks import held_up
from infra.shop.db.reading import Reading, moment, rows_now
from infra.shop.followers.order_rows import OrderRows

LONGEST = 30.0
"""Seconds until a test gives up."""


@pytest.fixture
def s(server: DatabaseServer) -> Settings:
    tables.create(server.settings)
    OrderRows(server.settings)
    with connected(server.settings) as database:
        database.execute("TRUNCATE customers, products, stock, orders, order_events")
        database.execute(
            "INSERT INTO customers VALUES ('c-1', 'Ada', 'north', NULL, now()), ('c-2', 'Bea', 'north', NULL, now())"
        )
    return server.settings.model_copy(update={"lock_seconds": 2})


@pytest.fixture
def idle(s: Settings) -> Iterator[psycopg.Connection[Any]]:
    """It has changed a row of each table, and has not ended."""
    with psycopg.connect(dsn(s), application_name="a person") as own:
        own.execute("UPDATE customers SET name = 'Zoe' WHERE customer_id = 'c-1'")
        own.execute("INSERT INTO products VALUES ('p-1', 'mug', 'b', 1, NULL, NULL, now())")
        own.execute("INSERT INTO stock VALUES ('p-1', 'nord', 1, now())")
        own.execute("INSERT INTO orders VALUES ('o-1', NULL, 'unknown', NULL, NULL, 0, 0, NULL, now())")
        own.execute("INSERT INTO marks VALUES ('of a person', now())")
        own.execute("INSERT INTO heartbeat VALUES (2, now())")
        own.execute("INSERT INTO order_events SELECT '1', 'o-1', '', now(), now(), '', 1, '{}'")
        yield own
        own.rollback()


@pytest.mark.parametrize("step", [tables.create, OrderRows, rows_now])
def test_nothing_of_ours_waits_for_an_open_transaction(
    s: Settings, idle: psycopg.Connection[Any], step: Callable[[Settings], object]
) -> None:
    begun, over = threading.Event(), threading.Event()
    waited = []

    def others() -> None:
        with psycopg.connect(dsn(s), autocommit=True) as own:
            while not over.is_set():
                began = time.monotonic()
                own.execute("UPDATE customers SET region = 'south' WHERE customer_id = 'c-2'")
                own.execute("INSERT INTO order_events SELECT gen_random_uuid(), 'o-2', '', now(), now(), '', 1, '{}'")
                waited.append(time.monotonic() - began)
                begun.set()

    with ThreadPoolExecutor() as pool:
        beside = pool.submit(others)
        assert begun.wait(30)
        try:
            step(s)
        finally:
            over.set()
        beside.result()
    # Less than the longest wait for a lock: none was in their way.
    assert max(waited) < s.lock_seconds


def test_a_step_that_must_change_a_table_names_its_blocker(s: Settings) -> None:
    with connected(s) as own:
        own.execute("ALTER TABLE products REPLICA IDENTITY DEFAULT")
        own.execute("ALTER PUBLICATION daybreak_shop SET TABLE customers")
    with psycopg.connect(dsn(s), application_name="a person") as reader:
        reader.execute("SELECT count(*) FROM products")
        with pytest.raises(TransientFailure) as refused:
            tables.create(s)
        pid = reader.info.backend_pid
    assert (
        f"gave up after 2 s of waiting for a lock in the shop's database held by session {pid} (a person of daybreak), "
        in (said := str(refused.value))
    )
    assert "idle in transaction since 2" in said
    assert (
        f"its last statement: SELECT count(*) FROM products. Let it commit, or end it: SELECT pg_terminate_backend({pid})"
        in said
    )
    tables.create(s)
    assert tables.missing(s) is None
    with connected(s) as own:
        assert own.execute("SELECT relreplident FROM pg_class WHERE relname = 'products'").fetchone() == ("f",)


def test_a_connector_that_waits_is_told_with_whom_it_waits_for(s: Settings, idle: psycopg.Connection[Any]) -> None:
    with connected(s) as own, ThreadPoolExecutor() as pool:
        assert held_up(own) is None

        def beats() -> None:
            with psycopg.connect(dsn(s), application_name="Debezium Heartbeat") as beating:
                beating.execute("UPDATE customers SET name = 'Eve' WHERE customer_id = 'c-1'")
                beating.rollback()

        beating = pool.submit(beats)
        give_up = time.monotonic() + LONGEST
        while not (said := held_up(own)):
            assert time.monotonic() < give_up
        idle.rollback()
        beating.result()
    assert (
        f"the capture waits in the shop's database for session {idle.info.backend_pid} (a person of daybreak)" in said
    )


def test_rows_read_beside_writers_are_the_log_as_of_one_moment(s: Settings) -> None:
    rng, over = Random(4), threading.Event()
    with connected(s) as own:
        own.execute("SELECT pg_create_logical_replication_slot('of_a_test', 'pgoutput')")

    def write(seed: int) -> None:
        own = Random(seed)
        with psycopg.connect(dsn(s), autocommit=True) as writer:
            while not over.is_set():
                with writer.transaction(force_rollback=own.random() < 0.1):
                    for number in sorted(own.sample(range(20), own.randrange(1, 4))):
                        writer.execute(
                            "INSERT INTO stock VALUES (%s, 'nord', %s, now()) ON CONFLICT (product_id, warehouse) "
                            "DO UPDATE SET on_hand = excluded.on_hand",
                            [f"p-{number}", own.randrange(1000)],
                        )
                        if own.random() < 0.2:
                            writer.execute("DELETE FROM stock WHERE product_id = %s", [f"p-{number}"])
                    time.sleep(own.random() * 0.02)

    try:
        found: dict[str, list[Change]] = defaultdict(list)
        readings = []
        with ThreadPoolExecutor() as pool:
            writers = [pool.submit(write, seed) for seed in range(4)]
            for _ in range(25):
                time.sleep(rng.random() * 0.03)
                readings.append(rows_now(s))
            over.set()
            [one.result() for one in writers]
        with connected(s) as own:
            for table, one in changes(own, "of_a_test"):
                found[table].append(one)
    finally:
        over.set()
        with connected(s) as own:
            own.execute("SELECT pg_drop_replication_slot('of_a_test')")
    unseen = 0
    for reading in readings:
        (mark,) = (one for one in found["marks"] if one.key == (reading.mark,))
        at = moment(reading, mark, {"stock": found["stock"]})
        unseen += len(at.unseen)
        there = {key: str(row["on_hand"]) for key, row in reading.rows["stock"].items()}
        assert {key: row["on_hand"] for key, row in folded(found["stock"], at).items()} == there
    assert unseen, "no writer was in between: this proves nothing"


def told(lsn: int, transaction: int | None, op: str = "c") -> Change:
    return Change(lsn, op, ("c-1",), None, {}, transaction)


def test_ids_of_transactions_go_round() -> None:
    upcoming = 5
    reading = Reading({}, "m", 100, 50, upcoming, frozenset({(1 << 32) - 1, 3}))
    seen = [one for one in ((1 << 32) - 2, (1 << 32) - 1, 2, 3, 4, 5, 6, 1 << 30) if reading.saw(told(60, one))]
    assert seen == [(1 << 32) - 2, 2, 4]
    # In front of all that was open the log is older than any of these ids.
    assert all(reading.saw(told(49, one)) for one in (3, 5, 6))
    assert reading.saw(told(60, None))


def test_a_snapshot_of_the_connector_in_between_is_told() -> None:
    reading = Reading({}, "m", 100, 50, 9, frozenset({7}))
    assert moment(reading, told(120, 9), {"stock": [told(90, 7, READ), told(110, 7)]}).unseen == {110}
    for captured, mark in (([told(105, 8, READ)], told(120, 9)), ([], told(120, 9, READ))):
        with pytest.raises(TransientFailure, match="took a snapshot during the comparison"):
            moment(reading, mark, {"stock": captured})
