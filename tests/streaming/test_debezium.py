"""Debezium's change events: as the connector writes them, and as anyone might."""

import json
import random
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from pyspark.sql import SparkSession

from streaming import debezium
from streaming.bronze import RECORD
from streaming.contracts.contract import Contract
from streaming.contracts.shop_db import SHOP_CUSTOMERS, SHOP_ORDERS, SHOP_PRODUCTS, SHOP_STOCK
from streaming.reasons import Reason
from streaming.validate import validate_by

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
COMMITTED = 1_769_860_900_000


def change(op: str, before: Any, after: Any, lsn: int = 1000, **more: Any) -> bytes:
    source = {"lsn": lsn, "ts_ms": COMMITTED, "table": "customers"}
    return json.dumps({"before": before, "after": after, "op": op, "source": source} | more).encode()


def decoded(value: bytes) -> dict[str, Any]:
    text, fault = debezium.decode(TABLE, value)
    assert fault is None
    return dict(json.loads(text or ""))


@pytest.mark.parametrize(
    ("op", "before", "after", "kind", "time"),
    [
        ("c", None, AFTER, "customer_registered", 1_769_857_200_000),
        ("u", BEFORE, AFTER, "customer_moved", 1_769_857_200_000),
        ("d", BEFORE, None, "customer_left", 1_769_853_600_500),
        ("r", None, AFTER, "customer_registered", COMMITTED),
    ],
)
def test_each_kind_of_change_is_an_event(op: str, before: Any, after: Any, kind: str, time: int) -> None:
    event = decoded(change(op, before, after))
    assert (event["event_type"], event["event_time"], event["customer_id"]) == (kind, time, "c-7")
    assert event.get("region") == (after["region"] if after else None)


def test_a_deletion_that_is_not_stamped_has_the_time_of_its_commit() -> None:
    bare = replace(TABLE, captured=replace(TABLE.captured, stamps_deletions=False))
    text, _ = debezium.decode(bare, change("d", BEFORE, None))
    assert json.loads(text or "")["event_time"] == COMMITTED
    ours = {"lsn": 7, "ts_ms": COMMITTED, "daybreak": "deleted while the log was not captured"}
    assert decoded(change("d", BEFORE, None, source=ours))["event_time"] == COMMITTED


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
        change("u", BEFORE, AFTER | {"changed_at": "yesterday"}), change("u", BEFORE, AFTER | {"changed_at": 7}),
        change("u", BEFORE, AFTER, lsn="x"), b"[" * 100_000, b'{"op":"u","source":7,"after":{}}',
    ],
)  # fmt: skip
def test_what_is_no_change_of_a_row_has_a_reason(value: bytes) -> None:
    assert debezium.decode(TABLE, value) == (None, Reason.NOT_A_CHANGE.value)


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
    now = datetime.fromtimestamp(COMMITTED / 1000, UTC)
    names = RECORD.fieldNames()
    known = {"topic": contract.topic, "partition": 0, "arrival": now, "headers": None}
    rows = [
        tuple({**known, "offset": number, "key": key, "value": value}[name] for name in names)
        for number, (key, value) in enumerate(records)
    ]
    found = validate_by(spark.createDataFrame(rows, RECORD), SHOP).orderBy("offset").collect()
    return [(row[contract.column], row["reasons"]) for row in found]


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
    assert found[0][0].asDict() == {"customer_id": "c-7", "name": "Ada Abel", "region": "south", "note": None}
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
    assert found[0][0].asDict() == {name: value for name, value in row.items() if name != "changed_at"}
