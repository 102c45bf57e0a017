"""An event in Protobuf has the outcome of its twin in JSON; bytes that are none have a reason; numbers of fields stay."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import twins
from corpus import order
from pyspark.sql import SparkSession
from pyspark.sql.types import DoubleType, LongType, StructField, StructType
from twins import NOW_MS, PLAIN, rows, without_nulls

from batch.archive.events import with_envelope
from streaming.contracts import CONTRACTS
from streaming.contracts.contract import Version
from streaming.encodings import proto_schemas, protobuf
from streaming.shop.contracts.orders import ORDERS
from streaming.validation.validate import validate_by
from streaming.versions.definitions import definitions, differing, of_topic

IN_PROTOBUF = replace(ORDERS, encoding="protobuf")
VALUE = protobuf.encode("orders", PLAIN)
UNKNOWN = bytes([15 << 3 | 2, 1, 65])
"""Field 15, the text "A": the contract has no such field."""


def reasons(spark: SparkSession, *values: bytes | None) -> list[list[str]]:
    return twins.reasons(spark, IN_PROTOBUF, *values)


def said(event: Mapping[str, Any]) -> bytes:
    """The event in Protobuf. Raises ValueError for what Protobuf cannot say: nothing, an empty list, true as a number."""
    version = 2 if event.get("schema_version") == 2 else 1
    if not event.keys() <= {*ORDERS.at(version).schema.fieldNames()}:
        raise ValueError
    value = protobuf.encode("orders", event)
    found = json.loads(protobuf.decode("orders", value)[0] or "{}")
    # As text: to Python 1 and true are the same.
    if not value or json.dumps(found, sort_keys=True) != json.dumps(without_nulls(event), sort_keys=True):
        raise ValueError
    return value


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Field daybreak:DeprecationWarning")
def test_every_event_has_the_outcome_of_its_twin(spark: SparkSession) -> None:
    twins.assert_alike(spark, said, IN_PROTOBUF)


def test_what_is_no_message_has_a_reason_and_its_bytes(spark: SparkSession) -> None:
    nothing = "missing_field"
    cases: dict[bytes | None, list[str]] = {
        VALUE: [],
        None: ["tombstone"],
        b"": ["empty"],
        VALUE[:-1]: ["not_protobuf"],
        VALUE + b"\0": ["not_protobuf"],
        json.dumps(PLAIN).encode(): ["not_protobuf"],
        VALUE.replace(b"c-7", b"c\xff7"): ["not_protobuf"],
        VALUE + UNKNOWN: ["unknown_field"],
        VALUE + 2 * UNKNOWN: ["unknown_field"],
        protobuf.encode("orders", PLAIN | {"channel": "app"}): ["unknown_field"],
        protobuf.encode("orders", {name: PLAIN[name] for name in PLAIN if name != "total_cents"}): [nothing],
        protobuf.encode("orders", PLAIN | {"schema_version": 2, "channel": "app"}): [],
        VALUE + bytes(70_000): ["oversize"],
    }
    assert reasons(spark, *cases) == list(cases.values())
    kept = validate_by(rows(spark, [(b"k", VALUE[:-1])]), (IN_PROTOBUF,)).first()
    assert kept is not None
    assert bytes(kept["value"]) == VALUE[:-1]


def test_a_value_says_each_thing_once_and_in_full() -> None:
    version, total = bytes([4 << 3]), bytes([8 << 3])
    beyond_32_bits, seven, padded = b"\x81\x80\x80\x80\x10", b"\x07", b"\x87\x00"
    assert protobuf.decode("orders", VALUE)[1] is None
    for more in (VALUE, version + beyond_32_bits, total + seven, total + padded):
        assert protobuf.decode("orders", VALUE + more) == (None, "not_protobuf")
    first, rest = VALUE[: 2 + VALUE[1]], VALUE[2 + VALUE[1] :]
    assert protobuf.decode("orders", rest + first) == protobuf.decode("orders", VALUE), "in any order"


def test_a_zero_is_said_and_is_not_a_missing_field(spark: SparkSession) -> None:
    free = PLAIN | {"items": [{"product_id": "p-1", "quantity": 1, "unit_price_cents": 0}], "total_cents": 0}
    assert reasons(spark, protobuf.encode("orders", free)) == [[]]


def test_stored_files_are_what_the_contracts_say() -> None:
    files = {file.stem for file in proto_schemas.schemas().glob("*.proto")}
    shown = files | {topic for topic in CONTRACTS if CONTRACTS[topic].encoding == "protobuf"}
    assert "orders" in shown
    for topic in shown:
        assert proto_schemas.stored(topic) == proto_schemas.proto(CONTRACTS[topic]), (
            f"run python -m streaming.encodings.proto_schemas {topic}"
        )


def test_a_later_version_changes_no_number() -> None:
    # Its field stands between those of the first version.
    between = StructType([*ORDERS.payload[:2], StructField("voucher", LongType()), *ORDERS.payload[2:]])
    third = replace(ORDERS, payload=between, later=(*ORDERS.later, Version(3, ("voucher",))))
    assert proto_schemas.changed(third) == []
    assert "  optional int64 voucher = 12;" in proto_schemas.proto(third).splitlines()


def test_a_changed_field_is_named_and_not_written() -> None:
    payload, doubled = (
        StructType([StructField(one.name, kind if one.name == name else one.dataType) for one in ORDERS.payload])
        for name, kind in (("reason", LongType()), ("total_cents", DoubleType()))
    )
    found = proto_schemas.changed(replace(ORDERS, payload=payload))
    assert found == ["orders.proto: `optional string reason = 9;` has changed"]
    with pytest.raises(ValueError, match="`optional string reason = 9;` has changed"):
        proto_schemas.write(replace(ORDERS, payload=payload))
    with pytest.raises(ValueError, match="`total_cents` is a double"):
        proto_schemas.proto(replace(ORDERS, payload=doubled))


def test_a_new_file_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proto_schemas, "schemas", lambda: tmp_path)
    assert proto_schemas.write(CONTRACTS["saved_searches"]) == "saved_searches.proto"
    assert "message SavedSearches {" in (tmp_path / "saved_searches.proto").read_text()


def test_the_night_finds_an_event_by_its_id_and_day(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CONTRACTS, "orders", IN_PROTOBUF)
    (row,) = with_envelope(rows(spark, [(b"k", VALUE)])).collect()
    assert (row["event_id"], bytes(row["value"])) == (PLAIN["event_id"], VALUE)


@pytest.mark.slow
def test_the_version_of_a_contract_covers_its_encoding(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    before = definitions(spark)
    monkeypatch.setitem(CONTRACTS, "orders", IN_PROTOBUF)
    assert {of_topic("orders"), of_topic("orders", 2)} <= differing(before, definitions(spark))


def test_every_field_of_an_event_comes_back() -> None:
    new = order("new", NOW_MS, schema_version=2, channel="app", currency="EUR")
    assert json.loads(protobuf.decode("orders", protobuf.encode("orders", new))[0] or "") == new
