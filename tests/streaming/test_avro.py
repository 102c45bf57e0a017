"""An event in Avro has the outcome of its twin in JSON, and bytes that are no Avro have a reason."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC
from io import BytesIO
from typing import Any

import pytest
import twins
from corpus import order
from fastavro import schemaless_reader
from fastavro.validation import validate as fits
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import DoubleType, LongType, StructField, StructType
from stored import stored
from twins import ITEM, NOW_MS, PLAIN, rows, without_nulls

from batch.archive.events import with_envelope
from streaming.contracts import CONTRACTS
from streaming.encodings import avro, avro_schemas
from streaming.shop.contracts.orders import ORDERS
from streaming.tables.silver import topic_events
from streaming.validation.validate import validate, validate_by
from streaming.versions.definitions import definitions, differing, of_topic, whole_plans

IN_AVRO = replace(ORDERS, encoding="avro")
SCHEMAS = {version: json.loads(text) for version, text in avro_schemas.texts("orders").items()}
FIRST, SECOND = SCHEMAS[1], SCHEMAS[2]
VALUE = avro.encode("orders", PLAIN)


def reasons(spark: SparkSession, *values: bytes | None) -> list[list[str]]:
    return twins.reasons(spark, IN_AVRO, *values)


def said(event: Mapping[str, Any]) -> bytes:
    """The event in Avro. Raises ValueError for what Avro cannot say."""
    version = 2 if event.get("schema_version") == 2 else 1
    schema = SCHEMAS[version]
    known = {field["name"] for field in schema["fields"]}
    if not event.keys() <= known:
        raise ValueError
    event = without_nulls(event)
    if not fits(event, schema, raise_errors=False) or any(item.keys() != ITEM for item in event.get("items", ())):
        raise ValueError
    return avro.encode("orders", event, version)


@pytest.mark.slow
def test_every_event_has_the_outcome_of_its_twin(spark: SparkSession) -> None:
    twins.assert_alike(spark, said, IN_AVRO)


@pytest.mark.slow
def test_what_is_no_avro_has_a_reason_and_its_bytes(spark: SparkSession) -> None:
    unknown = VALUE[:2] + bytes(8) + VALUE[10:]
    cases: dict[bytes | None, list[str]] = {
        VALUE: [],
        None: ["tombstone"],
        b"": ["empty"],
        unknown: ["unknown_schema"],
        VALUE[:2] + VALUE[2:10][::-1] + VALUE[10:]: ["unknown_schema"],
        VALUE[:-1]: ["not_avro"],
        VALUE[:10]: ["not_avro"],
        VALUE[:6]: ["not_avro"],
        VALUE + b"\0": ["not_avro"],
        json.dumps(PLAIN).encode(): ["not_avro"],
        VALUE[:10] + b"\xff" * 50: ["not_avro"],
        VALUE.replace(b"c-7", b"c\xff7"): ["not_avro"],
        VALUE + bytes(70_000): ["oversize"],
    }
    assert reasons(spark, *cases) == list(cases.values())
    kept = validate_by(rows(spark, [(b"k", unknown)]), (IN_AVRO,)).first()
    assert kept is not None
    assert bytes(kept["value"]) == unknown


def test_both_versions_are_read_from_one_topic(spark: SparkSession) -> None:
    values = [json.loads(value) for value in stored("orders")]
    arrival = values[0]["event_time"]
    records = [(value["order_id"].encode(), avro.encode("orders", value)) for value in values]
    found = validate_by(rows(spark, records).selectExpr("*", f"timestamp_millis({arrival}) AS at").drop("arrival")
                        .withColumnRenamed("at", "arrival"), (IN_AVRO,))  # fmt: skip
    assert [row["reasons"] for row in found.collect()] == [[]] * len(values)
    told = {(row["event_type"], row["channel"], row["currency"]) for row in topic_events(found, "orders").collect()}
    assert told == {(kind, channel, "EUR") for kind in ORDERS.required for channel in (None, "app")}


def test_a_reader_with_the_other_versions_schema_reads_both_ways() -> None:
    new = order("new", NOW_MS, schema_version=2, channel="app", currency="EUR")

    def read(value: bytes, writer: Any, reader: Any) -> Any:
        return schemaless_reader(BytesIO(value[avro.HEADER :]), writer, reader)

    by_new = read(VALUE, FIRST, SECOND)
    assert (by_new["channel"], by_new["currency"], by_new["total_cents"]) == (None, "EUR", PLAIN["total_cents"])
    by_old = read(avro.encode("orders", new), SECOND, FIRST)
    assert by_old == {name: new.get(name) for name in (field["name"] for field in FIRST["fields"])}


def test_the_bytes_are_those_of_avros_own_library(spark: SparkSession) -> None:
    event = {**order("java", NOW_MS, event_type="order_cancelled", schema_version=2), "reason": "why", "channel": "app"}
    wrapped = {**event, "items": None, "total_cents": None, "reason": {"string": "why"}, "channel": {"string": "app"}}
    apache = spark._jvm.org.apache.avro  # type: ignore[union-attr]
    schema = apache.Schema.Parser().parse(json.dumps(SECOND))
    text = apache.io.DecoderFactory.get().jsonDecoder(schema, json.dumps(wrapped | {"currency": "EUR"}))
    record = apache.generic.GenericDatumReader(schema).read(None, text)
    by_java = apache.message.BinaryMessageEncoder(apache.generic.GenericData.get(), schema).encode(record)
    own = {name: value for name, value in event.items() if name not in ("items", "total_cents")}
    assert bytes(by_java.array())[: by_java.remaining()] == avro.encode("orders", own)


def test_stored_schemas_are_what_the_contracts_say() -> None:
    shown = [topic for topic in CONTRACTS if CONTRACTS[topic].encoding == "avro" or avro_schemas.texts(topic)]
    assert "orders" in shown
    assert [found for topic in shown for found in avro_schemas.differences(CONTRACTS[topic])] == []


def test_a_changed_field_of_a_stored_version_is_named() -> None:
    payload, doubled = (
        StructType([StructField(one.name, kind if one.name == name else one.dataType) for one in ORDERS.payload])
        for name, kind in (("reason", LongType()), ("total_cents", DoubleType()))
    )
    found = avro_schemas.differences(replace(ORDERS, payload=payload))
    assert [sentence.split(":")[0] for sentence in found] == ["orders, version 1", "orders, version 2"]
    assert all("`reason`" in sentence for sentence in found)
    assert avro_schemas.differences(replace(ORDERS, topic="searches"))[0].startswith("searches.v1.avsc is missing")
    with pytest.raises(ValueError, match="`total_cents` is a double"):
        avro_schemas.schema_of(replace(ORDERS, payload=doubled))


def test_the_night_finds_an_avro_event_by_its_id_and_day(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CONTRACTS, "orders", IN_AVRO)
    (row,) = with_envelope(rows(spark, [(b"k", VALUE)])).collect()
    assert (row["event_id"], bytes(row["value"])) == (PLAIN["event_id"], VALUE)
    assert row["event_time"].replace(tzinfo=UTC).timestamp() * 1000 == PLAIN["event_time"]


def test_a_plan_without_avro_calls_no_python(spark: SparkSession) -> None:
    def plan(frame: DataFrame) -> str:
        return str(frame._jdf.queryExecution().analyzed().treeString())

    records = rows(spark, [])
    with whole_plans(spark):
        assert "Python" not in plan(validate(records))
        assert "Python" not in plan(with_envelope(records))
        assert plan(validate_by(records, (IN_AVRO,))).count("avro(") > 0
    assert (
        validate_by(rows(spark, [(b"k", VALUE)]), (IN_AVRO,))
        ._jdf.queryExecution()
        .optimizedPlan()
        .collectLeaves()
        .size()
        == 1
    )


@pytest.mark.slow
def test_the_version_of_a_contract_covers_its_encoding_and_schemas(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = definitions(spark)
    monkeypatch.setitem(CONTRACTS, "orders", IN_AVRO)
    found = definitions(spark)
    assert {of_topic("orders"), of_topic("orders", 2)} <= differing(before, found)
    assert definitions(spark.newSession()) == found
    texts = dict(avro_schemas.texts("orders"))
    monkeypatch.setattr(avro_schemas, "texts", lambda topic: texts | {2: texts[2].replace("EUR", "USD")})
    assert differing(found, definitions(spark)) == {of_topic("orders", 2)}
