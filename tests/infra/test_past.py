"""When a change counts: at its commit; only the simulated shop's past is committed as of another time. A real Postgres tells."""

import struct
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from uuid import UUID

import psycopg
import pytest
from database_server import DatabaseServer
from psycopg.conninfo import make_conninfo

from infra.failures import PermanentFailure
from infra.settings import Settings
from infra.shop.db.connection import Connection, connected, dsn
from infra.shop.db.past import replayed
from infra.shop.db.tables import PUBLICATION
from infra.shop.db.write import Writer, following
from infra.shop.faults import Faults
from infra.shop.followers.order_events import OrderEvent
from infra.shop.followers.order_rows import OrderRows
from infra.shop.run import Run

THEN = datetime(2026, 1, 31, 12, 0, 0, 123_000, tzinfo=UTC)
EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
NO_FAULTS = Faults(0, 0, 0, 0, 0)


@pytest.fixture(scope="module")
def s(server: DatabaseServer) -> Settings:
    with connected(server.settings) as own:
        own.execute("SELECT pg_create_logical_replication_slot('told', 'pgoutput')")
    return server.settings


def commits(own: Connection) -> list[datetime]:
    """When the transactions since the last time were committed, as the log tells whoever reads it (Debezium: source.ts_ms)."""
    asked = "SELECT data FROM pg_logical_slot_get_binary_changes('told', NULL, NULL, 'proto_version', '1', %s, %s)"
    # The shop does not wait for the disk, and a reader sees what is there.
    own.execute("CHECKPOINT")
    begins = [data for (data,) in own.execute(asked, ["publication_names", PUBLICATION]).fetchall() if data[:1] == b"B"]
    return [EPOCH + timedelta(microseconds=struct.unpack_from(">q", data, 9)[0]) for data in begins]


def test_a_change_by_hand_counts_from_its_commit(s: Settings) -> None:
    with connected(s) as own:
        commits(own)
        began = datetime.now(UTC)
        own.execute("INSERT INTO customers VALUES ('c-1', 'Ada', 'north', NULL, now() - interval '3 hours')")
        own.execute("UPDATE customers SET region = 'south' WHERE customer_id = 'c-1'")
        own.execute("DELETE FROM customers WHERE customer_id = 'c-1'")
        found = commits(own)
    assert len(found) == 3
    assert all(began <= at <= datetime.now(UTC) for at in found)


def test_the_past_is_committed_as_of_its_time_and_nothing_after(s: Settings) -> None:
    with connected(s) as own:
        commits(own)
        with replayed(own) as dated:
            for number in range(2):
                with own.transaction():
                    dated(THEN + timedelta(hours=number))
                    own.execute("INSERT INTO stock VALUES (%s, 'nord', 1, now())", [f"p-{number}"])
        own.execute("UPDATE stock SET on_hand = 2")
        *past, present = commits(own)
    assert past == [THEN, THEN + timedelta(hours=1)]
    assert datetime.now(UTC) - present < timedelta(minutes=1)


@pytest.mark.parametrize("live", [False, True])
def test_the_shops_past_days_are_dated_and_its_live_traffic_is_not(s: Settings, live: bool) -> None:
    start = round(THEN.timestamp() * 1000)
    run = Run(start, start + 600_000, 0.2, 1, start + 86_400_000, NO_FAULTS, live=live)
    with connected(s) as own:
        own.execute("TRUNCATE customers, products, stock, orders")
        commits(own)
        writer = Writer(own)
        with following(run, writer) as reached:
            reached(run.end_ms)
        found = commits(own)
    assert len(found) == writer.written > 50
    if live:
        assert min(found) > datetime.now(UTC) - timedelta(minutes=1)
    else:
        assert found == sorted(found)
        assert THEN <= found[0] < found[-1] < THEN + timedelta(minutes=10)


def test_what_follows_from_the_past_is_of_its_time(s: Settings) -> None:
    said = {"customer_id": "c-1", "lines": 1, "total_cents": 300}
    with connected(s) as own:
        own.execute("TRUNCATE orders")
        rows = OrderRows(s)
        commits(own)
        for number in range(2):
            with replayed(own) if number == 0 else nullcontext():
                placed = OrderEvent(
                    str(UUID(int=number)), f"o-{number}", "order_placed", THEN, THEN, "orders", number, said
                )
                rows.apply([placed], {("orders", 0): number + 1})
        past, present = commits(own)
    assert past == THEN
    assert datetime.now(UTC) - present < timedelta(minutes=1)


def test_two_sessions_cannot_replay_at_once(s: Settings) -> None:
    refused = pytest.raises(PermanentFailure, match="another `daybreak shop` is writing")
    with connected(s) as one, connected(s) as other, replayed(one), refused, replayed(other):
        pass
    with connected(s) as own, replayed(own):
        pass


def test_who_may_not_date_a_transaction_is_told_what_helps(s: Settings) -> None:
    with connected(s) as admin:
        admin.execute("CREATE USER guest PASSWORD 'guest'")
    guest = make_conninfo(dsn(s), user="guest", password="guest")
    refused = pytest.raises(PermanentFailure, match="may not say when")
    with psycopg.connect(guest, autocommit=True) as own, refused as why, replayed(own):
        pass
    _, grant, *_ = str(why.value).split("`")
    with connected(s) as admin:
        admin.execute(grant.encode())
    with psycopg.connect(guest, autocommit=True) as own, replayed(own):
        pass
