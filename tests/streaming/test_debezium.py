"""Debezium's change events: as the connector writes them, and as anyone might."""

import json
import random
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from pyspark.sql import Row, SparkSession

from streaming.contracts.contract import Contract
from streaming.encodings import debezium
from streaming.reasons import Reason
from streaming.shop.contracts.shop_db import SHOP_CUSTOMERS, SHOP_ORDERS, SHOP_PRODUCTS, SHOP_STOCK
from streaming.tables.bronze import RECORD
from streaming.validation.validate import validate_by

SHOP = (SHOP_CUSTOMERS, SHOP_PRODUCTS, SHOP_STOCK, SHOP_ORDERS)
TABLE = debezium.Table.of(SHOP_CUSTOMERS)
BEFORE = {
    "customer_id": "c-7",
    "name": "Ada Abel",
    "region": "north",
    "note": None,
    "changed_at": "2026-01-31T10:00:00.5Z",
}
AFTER = {**BEFORE, "region": "south", "changed_at": "2026-01-31T11:00:00Z"}
KEY = b'{"customer_id":"c-7"}'
COMMITTED = 1_769_860_900_000


def change(op: str, before: Any, after: Any, lsn: int = 1000, **more: Any) -> bytes:
    source = {"lsn": lsn, "ts_ms": COMMITTED, "table": "customers"}
    return json.dumps({"before": before, "after": after, "op": op, "source": source} | more).encode()


def decoded(value: bytes) -> dict[str, Any]:
    text, fault = debezium.decode(TABLE, value)
    assert fault is None
    return dict(json.loads(text or ""))


@pytest.mark.parametrize(
    ("op", "before", "after", "kind"),
    [
        ("c", None, AFTER, "customer_registered"),
        ("u", BEFORE, AFTER, "customer_moved"),
        ("u", None, AFTER, "customer_moved"),
        ("d", BEFORE, None, "customer_left"),
        (
            "d",
            {"customer_id": "c-7", "name": "", "region": "", "changed_at": "1970-01-01T00:00:00Z"},
            None,
            "customer_left",
        ),
        ("d", {"customer_id": "c-7"}, None, "customer_left"),
        ("r", None, AFTER, "customer_registered"),
    ],
)
def test_each_kind_of_change_is_an_event_of_its_commit(op: str, before: Any, after: Any, kind: str) -> None:
    event = decoded(change(op, before, after))
    assert (event["event_type"], event["event_time"], event["customer_id"]) == (kind, COMMITTED, "c-7")
    assert (event.get("region"), event.get("changed_at")) == (
        (after["region"], after["changed_at"]) if after else (None, None)
    )


def test_the_same_change_has_one_id_and_later_ones_larger_ids() -> None:
    ids = [decoded(change("u", BEFORE, AFTER, lsn))["event_id"] for lsn in (1000, 1000, 1001, 70_000)]
    assert ids[0] == ids[1]
    assert sorted(set(ids)) == ids[1:]
    assert [debezium.lsn_of(one) for one in ids] == [1000, 1000, 1001, 70_000]


def test_rows_that_were_inserted_together_have_ids_of_their_own() -> None:
    ids = {decoded(change("c", None, AFTER | {"customer_id": f"c-{number}"}))["event_id"] for number in range(100)}
    assert len(ids) == 100


def test_a_column_that_the_contract_does_not_name_is_left_out() -> None:
    assert "added_later" not in decoded(change("u", BEFORE, AFTER | {"added_later": 1}))


@pytest.mark.parametrize(
    "value",
    [
        b"{", b"[]", b"null", b"7", b"{}", b"\xff", b'{"op":"u"}',
        change("t", None, None), change("u", BEFORE, None), change("d", None, None), change("u", BEFORE, [1]),
        change("u", BEFORE, AFTER, lsn="x"),
        change("u", BEFORE, AFTER, source={"lsn": 1, "ts_ms": None}), b"[" * 100_000, b'{"op":"u","source":7,"after":{}}',
    ],
)  # fmt: skip
def test_what_is_no_change_of_a_row_has_a_reason(value: bytes) -> None:
    assert debezium.decode(TABLE, value) == (None, Reason.NOT_A_CHANGE.value)


@pytest.mark.parametrize(
    "value",
    ["__debezium_unavailable_value", "X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ==", ["__debezium_unavailable_value"],
     [*b"__debezium_unavailable_value"]],
    ids=["text", "bytes", "texts", "numbers"],
)  # fmt: skip
@pytest.mark.parametrize("column", ["note", "added_later"])
def test_a_change_that_lacks_a_value_is_refused(column: str, value: Any) -> None:
    assert debezium.decode(TABLE, change("u", None, AFTER | {column: value})) == (None, Reason.UNAVAILABLE_VALUE.value)
    # Of a deletion nothing but the key counts.
    assert decoded(change("d", BEFORE | {column: value}, None))["event_type"] == "customer_left"


def test_no_bytes_make_it_throw() -> None:
    rng, good = random.Random(1), change("u", BEFORE, AFTER)
    for _ in range(2000):
        spoilt = bytearray(good)
        for _ in range(rng.randrange(1, 5)):
            spoilt[rng.randrange(len(spoilt))] = rng.randrange(256)
        text, fault = debezium.decode(TABLE, bytes(spoilt))
        assert (text is None) == (fault is not None)
        (text or "").encode()


def judged(
    spark: SparkSession, contract: Contract, *records: tuple[bytes | None, bytes]
) -> list[tuple[Any, list[str]]]:
    return [(row[contract.column], row["reasons"]) for row in _validated(spark, contract, records)]


def _validated(spark: SparkSession, contract: Contract, records: Sequence[tuple[bytes | None, bytes]]) -> list[Row]:
    now = datetime.fromtimestamp(COMMITTED / 1000, UTC)
    names = RECORD.fieldNames()
    known = {"topic": contract.topic, "partition": 0, "arrival": now, "headers": None}
    rows = [
        tuple({**known, "offset": number, "key": key, "value": value}[name] for name in names)
        for number, (key, value) in enumerate(records)
    ]
    return validate_by(spark.createDataFrame(rows, RECORD), SHOP).orderBy("offset").collect()


def test_changes_are_validated_like_other_events(spark: SparkSession) -> None:
    key = b'{"customer_id":"c-7"}'
    found = judged(
        spark,
        SHOP_CUSTOMERS,
        (key, change("u", BEFORE, AFTER)),
        (key, change("d", BEFORE, None)),
        (None, change("u", BEFORE, AFTER)),
        (b'{"customer_id":"c-8"}', change("u", BEFORE, AFTER)),
        (key, change("u", BEFORE, {name: value for name, value in AFTER.items() if name != "name"})),
        (key, change("u", BEFORE, AFTER | {"name": "\ud800"})),
        (key, change("u", BEFORE, AFTER | {"name": 7})),
        (key, b"no change"),
    )
    row = {"customer_id": "c-7", "name": "Ada Abel", "region": "south", "note": None, "changed_at": AFTER["changed_at"]}
    assert found[0][0].asDict() == row
    assert [reasons for _, reasons in found] == [
        [], [], ["key_missing"], ["key_mismatch"], ["missing_field"], ["lone_surrogate"], ["wrong_type"], ["not_a_change"],
    ]  # fmt: skip


def test_a_key_of_two_columns_is_compared_whole(spark: SparkSession) -> None:
    row = {"product_id": "p-1", "warehouse": "nord", "on_hand": 5, "changed_at": "2026-01-31T11:00:00Z"}
    keys = (b'{"product_id":"p-1","warehouse":"nord"}', b'{"product_id":"p-1"}')
    found = judged(spark, SHOP_STOCK, *((key, change("c", None, row)) for key in keys))
    assert [reasons for _, reasons in found] == [[], ["key_mismatch"]]


def test_decimals_and_long_texts_keep_every_digit_and_letter(spark: SparkSession) -> None:
    row = {"product_id": "p-1", "title": "mug", "brand": "Fjäll", "price_cents": 1299, "weight_kg": "0.350",
           "description": "x" * 6_000, "changed_at": "2026-01-31T11:00:00Z"}  # fmt: skip
    ((payload, reasons),) = judged(spark, SHOP_PRODUCTS, (b'{"product_id":"p-1"}', change("c", None, row)))
    assert reasons == []
    assert (payload["weight_kg"], len(payload["description"])) == ("0.350", 6_000)


def test_an_orders_row_may_know_payments_only(spark: SparkSession) -> None:
    row = {"order_id": "o-00000001", "customer_id": None, "status": "unknown", "lines": None, "total_cents": None,
           "paid_cents": -5, "failed_payments": 1, "reason": None, "changed_at": "2026-01-31T11:00:00Z"}  # fmt: skip
    key = b'{"order_id":"o-00000001"}'
    rows = (row, row | {"status": "lost"}, row | {"paid_cents": None})
    found = judged(spark, SHOP_ORDERS, *((key, change("u", None, one)) for one in rows), (key, change("d", row, None)))
    assert [reasons for _, reasons in found] == [[], ["bad_format"], ["missing_field"], []]
    assert found[0][0].asDict() == row


@pytest.mark.parametrize(
    "stamp", ["2024-12-27T10:00:00Z", "2026-01-31T12:10:00Z", "infinity", "-infinity", "-0043-03-15T12:00:00.000Z"]
)
def test_a_row_is_accepted_whatever_it_says_of_its_time(spark: SparkSession, stamp: str) -> None:
    ((payload, reasons),) = judged(
        spark, SHOP_CUSTOMERS, (b'{"customer_id":"c-7"}', change("c", None, AFTER | {"changed_at": stamp}))
    )
    assert (reasons, payload["changed_at"]) == ([], stamp)


def test_a_weight_that_is_no_number_is_a_row_all_the_same(spark: SparkSession) -> None:
    row = {"product_id": "p-1", "title": "mug", "brand": "b", "price_cents": 1, "changed_at": "infinity"}
    found = judged(
        spark,
        SHOP_PRODUCTS,
        *((b'{"product_id":"p-1"}', change("c", None, row | {"weight_kg": one})) for one in ("NAN", "-1.500", "heavy")),
    )
    assert [reasons for _, reasons in found] == [[], [], ["bad_format"]]


@pytest.mark.parametrize(
    "clock", [COMMITTED + 86_400_000, COMMITTED + 300_001, COMMITTED - 367 * 86_400_000, -1, 10**18]
)
def test_a_clock_that_cannot_be_leaves_the_date_to_the_arrival(spark: SparkSession, clock: int) -> None:
    value = change("c", None, AFTER, source={"lsn": 1, "ts_ms": clock})
    found = _validated(spark, SHOP_CUSTOMERS, [(KEY, value), (KEY, change("u", None, AFTER)), (KEY, b"no change")])
    at = datetime.fromtimestamp(COMMITTED / 1000)
    assert [(row["event_time"], row["reasons"]) for row in found] == [(at, []), (at, []), (None, ["not_a_change"])]


def test_a_row_is_measured_and_not_the_change_around_it(spark: SparkSession) -> None:
    """What the contract allows: a description of 20,000 letters of three bytes; a note is as long as it is."""
    key, long = b'{"product_id":"p-1"}', "\u20ac" * 20_000
    row = {
        "product_id": "p-1",
        "title": "mug",
        "brand": "b",
        "price_cents": 1,
        "description": long,
        "changed_at": "infinity",
    }
    value = change("u", row, row | {"price_cents": 2, "added_later": long})
    assert len(value) > 3 * len(long.encode())
    ((payload, reasons),) = judged(spark, SHOP_PRODUCTS, (key, value))
    assert (reasons, payload["description"]) == ([], long)


def test_a_row_that_is_too_long_itself_is_refused(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streaming.encodings.as_json.MAX_ROW_BYTES", 70_000)
    notes = ("n" * 69_500, "n" * 70_001)
    found = judged(spark, SHOP_CUSTOMERS, *((KEY, change("u", BEFORE, AFTER | {"note": note})) for note in notes))
    assert [reasons for _, reasons in found] == [[], ["oversize"]]
