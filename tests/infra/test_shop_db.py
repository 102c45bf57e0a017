"""A captured table: how changes fold to rows, and how rows of two places are compared."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from infra.capture.envelope import CREATED, DELETED, READ, UPDATED
from infra.failures import TransientFailure
from infra.settings import Settings
from infra.shop.db.changes import Change, Moment, change, folded, read
from infra.shop.db.check import compared, written
from infra.shop.db.condition import broken
from infra.shop.db.connector import configuration
from infra.shop.db.slot import Slot
from infra.shop.db.tables import KEYS

KEY = ("c-1",)


def row(**more: Any) -> dict[str, Any]:
    return {"customer_id": "c-1", "name": "Ada", **more}


def told(lsn: int, op: str, key: tuple[str, ...] = KEY, **more: Any) -> Change:
    return Change(lsn, op, key, None, None if op == DELETED else row(customer_id=key[0], **more))


def test_the_last_change_of_a_key_counts_in_whatever_order_they_come() -> None:
    found = [told(3, UPDATED, name="three"), told(1, CREATED), told(2, UPDATED, name="two")]
    assert folded(found) == folded(reversed(found)) == {KEY: row(name="three")}


def test_a_deleted_row_is_gone_and_may_come_back() -> None:
    found = [told(1, CREATED), told(2, DELETED)]
    assert folded(found) == {}
    assert folded([*found, told(3, CREATED, name="again")]) == {KEY: row(name="again")}


def test_what_follows_the_mark_is_left_out() -> None:
    found = [told(1, CREATED), told(5, UPDATED, name="at the mark"), told(6, DELETED)]
    assert folded(found, Moment(5)) == {KEY: row()}
    assert folded(found, Moment(6)) == {KEY: row(name="at the mark")}


def test_a_row_that_a_later_snapshot_lacks_was_deleted_unseen() -> None:
    found = [
        told(1, CREATED, ("c-1",)),
        told(2, CREATED, ("c-2",)),
        told(9, READ, ("c-2",)),
        told(10, CREATED, ("c-3",)),
    ]
    assert set(folded(found)) == {("c-2",), ("c-3",)}
    assert set(folded(found, Moment(9))) == {("c-1",), ("c-2",)}


def test_a_change_is_read_from_debeziums_envelope() -> None:
    value = {
        "op": "d",
        "before": {"product_id": "p-1", "warehouse": "nord", "on_hand": 3},
        "after": None,
        "source": {"lsn": 7},
    }
    assert change("stock", value) == Change(7, DELETED, ("p-1", "nord"), value["before"], None)


@pytest.mark.parametrize(
    "value",
    [None, b"", b"{", b"[]", b"null", b"{}", b"\xff", b'{"op":"c","after":{},"source":{"lsn":"x"}}', b"[" * 100_000,
     b'{"op":"u","after":{"title":"__debezium_unavailable_value"},"source":{"lsn":1,"ts_ms":0}}',
     b'{"op":"c","after":{},"source":{"lsn":1e400,"ts_ms":0}}', b'{"op":"c","op":"u","after":{},"source":{"lsn":1,"ts_ms":0}}',
     b'{"op":"u","before":{},"after":null,"source":{"lsn":1,"ts_ms":0}}',
     b'{"op":"c","after":[1],"source":{"lsn":1,"ts_ms":0}}', b'{"op":"c","source":7}',
     b'{"after":{},"source":{"lsn":1,"ts_ms":0}}'],
)  # fmt: skip
def test_what_is_no_change_of_a_row_is_passed_over(value: bytes | None) -> None:
    assert read("products", value) is None


def test_a_row_is_written_alike_from_postgres_and_from_debezium() -> None:
    at = datetime(2026, 1, 31, 12, 0, 0, 500_000, tzinfo=timezone(timedelta(hours=2)))
    here = row(weight_kg=Decimal("0.350"), on_hand=5, note=None, changed_at=at)
    there = row(weight_kg="0.350", on_hand=5, note=None, changed_at="2026-01-31T10:00:00.5Z")
    assert written(here) == written(dict(reversed(there.items())))
    assert written(here) != written(there | {"weight_kg": "0.35"})
    assert written(here) != written(there | {"note": ""})


@pytest.mark.parametrize(
    ("copy", "first"),
    [
        ({}, "c-1 is missing from the copy"),
        ({KEY: row(), ("c-2",): row(customer_id="c-2")}, "c-2 is in the copy only"),
        ({KEY: row(name="Bea")}, "c-1: name is Ada, and Bea in the copy"),
        ({KEY: row(name=None)}, "c-1: name is Ada, and null in the copy"),
    ],
)
def test_the_first_key_that_differs_is_named(copy: Any, first: str) -> None:
    found = compared("customers", "the log", {KEY: row()}, copy)
    assert (found.is_equal, found.differing, found.first) == (False, 1, first)
    assert found.hashes[0] != found.hashes[1]


def test_equal_rows_have_equal_hashes() -> None:
    found = compared("customers", "the log", {KEY: row()}, {KEY: row()})
    assert found.is_equal
    assert found.hashes[0] == found.hashes[1]


def test_columns_that_were_added_or_dropped_are_no_difference_but_counted() -> None:
    there = {KEY: row(tier="gold"), ("c-2",): row(customer_id="c-2", tier="gold")}
    copy = {KEY: row(dropped=1), ("c-2",): row(customer_id="c-2", tier="gold", dropped=1)}
    found = compared("customers", "the log", there, copy)
    assert (found.is_equal, found.older) == (True, 1)
    changed = {**copy, ("c-2",): row(customer_id="c-2", tier="silver")}
    assert compared("customers", "the log", there, changed).first == "c-2: tier is gold, and silver in the copy"


@pytest.mark.parametrize(
    ("status", "retained", "left", "lost", "short"),
    [
        ("reserved", 1, 99, False, False),
        ("extended", 80, 20, False, True),
        ("reserved", 1 << 40, None, False, False),
        ("lost", 1, None, True, False),
    ],
)
def test_a_slot_warns_before_it_is_lost(status: str, retained: int, left: int | None, lost: bool, short: bool) -> None:
    found = Slot("s", True, status, retained, left)
    assert (found.is_lost, found.is_short) == (lost, short)


def test_the_connector_captures_every_table_exactly_once_and_keeps_no_password() -> None:
    found = configuration(Settings(shop_dsn="host=db port=5 user=me dbname=shop", shop_password="hidden"))  # type: ignore[arg-type]
    assert found["table.include.list"] == ",".join(f"public.{table}" for table in KEYS)
    assert (found["database.hostname"], found["database.port"], found["database.user"]) == ("db", "5", "me")
    assert found["exactly.once.support"] == "required"
    assert "hidden" not in str(found)


def test_times_are_compared_as_instants() -> None:
    noon = datetime(2026, 1, 31, 12, tzinfo=UTC)
    assert (
        written({"at": noon})
        == written({"at": "2026-01-31T12:00:00Z"})
        != written({"at": noon + timedelta(microseconds=1)})
    )


def test_a_check_waits_for_a_worker_that_is_slow_to_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connect reads its topic of offsets for each answer: just after a broker's restart that took 19 s."""
    monkeypatch.setattr("infra.shop.db.condition.missing", lambda s: None)
    monkeypatch.setattr("infra.shop.db.condition.lost", lambda s: None)

    class Slow(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            time.sleep(1)
            self.send_response(404)
            self.end_headers()

    with HTTPServer(("127.0.0.1", 0), Slow) as server, ThreadPoolExecutor() as pool:
        pool.submit(server.serve_forever)
        s = Settings.model_construct(connect_port=server.server_port)
        assert broken(s, 20) is None
        with pytest.raises(TransientFailure, match="does not answer on port"):
            broken(s, 0.1)
        server.shutdown()
