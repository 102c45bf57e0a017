"""Old events are read by every later contract, new ones by an old reader, and a change that breaks this is refused."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from corpus import Record, encoded, neighbours, order, poison
from mutated import mutated
from pyspark.sql import SparkSession
from pyspark.sql.types import ArrayType, LongType, StringType, StructField, StructType
from stored import stored, unread, validated

from infra.lake import arrow_tables, spark_tables
from infra.lake.columns import column, struct
from infra.lake.rows import arrow
from infra.lake.tables import Table
from infra.lake.writes import append_once
from streaming.contracts import CONTRACTS
from streaming.contracts.contract import Contract, Version
from streaming.shop.contracts.orders import ITEM, ORDERS
from streaming.tables.bronze import RECORD
from streaming.tables.silver import topic_events
from streaming.validation.validate import validate, validate_by

pytestmark = pytest.mark.slow

NOW_MS = 1_780_000_000_000
STORED = stored("orders")
NEW = [value for value in STORED if json.loads(value)["schema_version"] == 2]


def without(name: str) -> StructType:
    return StructType([field for field in ORDERS.payload if field.name != name])


def retyped(name: str, kind: Any) -> StructType:
    return StructType(
        [StructField(field.name, kind if field.name == name else field.dataType) for field in ORDERS.payload]
    )


def requires(kind: str, *fields: str) -> dict[str, tuple[str, ...]]:
    return {**ORDERS.required, kind: (*ORDERS.required[kind], *fields)}


@pytest.mark.parametrize("topic", CONTRACTS)
def test_every_version_ever_written_is_read_as_it_was_written(spark: SparkSession, topic: str) -> None:
    contract, values = CONTRACTS[topic], stored(topic)
    shown = {(event["schema_version"], event["event_type"]) for event in map(json.loads, values)}
    assert shown == {(version, kind) for version in contract.versions for kind in contract.required}
    assert unread(spark, contract, values) == []


@pytest.mark.parametrize(
    ("field", "changes"),
    [
        (
            "reason",
            {"payload": without("reason"), "rules": (), "required": dict.fromkeys(ORDERS.required, ("order_id",))},
        ),
        ("total_cents", {"payload": retyped("total_cents", StringType()), "rules": ()}),
        ("customer_id", {"payload": retyped("customer_id", LongType()), "rules": ()}),
        ("items.quantity", {"payload": retyped("items", ArrayType(StructType(ITEM.fields[:1]))), "rules": ()}),
        ("reason", {"required": requires("order_placed", "reason")}),
        ("event_type", {"required": {"order_placed": ORDERS.required["order_placed"]}}),
        ("schema_version", {"later": ()}),
        ("channel", {"payload": without("channel"), "later": (Version(2, adds=("currency",)),)}),
    ],
)
def test_a_change_that_breaks_old_events_is_refused_by_the_fields_name(
    spark: SparkSession, field: str, changes: dict[str, Any]
) -> None:
    found = unread(spark, replace(ORDERS, **changes), STORED)
    assert any(f"`{field}`" in sentence for sentence in found), found


def test_a_later_version_can_only_add_optional_fields() -> None:
    with pytest.raises(ValueError, match="`channel`, and order_placed requires it"):
        replace(ORDERS, required=requires("order_placed", "channel"))
    with pytest.raises(ValueError, match="must add `chanel`, and payload have it"):
        replace(ORDERS, later=(Version(2, adds=("chanel",)),))
    with pytest.raises(ValueError, match="currency"):
        replace(ORDERS, later=(Version(2, adds=("channel",), defaults={"currency": "EUR"}),))
    with pytest.raises(ValueError, match="numbered"):
        replace(ORDERS, later=(Version(3, adds=("channel",)),))


def test_readers_see_defaults_and_the_tables_keep_what_was_sent(spark: SparkSession) -> None:
    values = [order(name, NOW_MS, **more) for name, more in (
        ("old", {}), ("new", {"schema_version": 2, "channel": "app", "currency": "EUR"}), ("bare", {"schema_version": 2}),
    )]  # fmt: skip
    found = validate(
        rows(spark, [Record("", "orders", value["order_id"].encode(), encoded(value)) for value in values])
    )
    assert [row["reasons"] for row in found.collect()] == [[]] * 3
    assert [row["orders"]["currency"] for row in found.orderBy("offset").collect()] == [None, "EUR", None]
    read = topic_events(found.orderBy("offset"), "orders").select("channel", "currency").collect()
    assert list(map(tuple, read)) == [(None, "EUR"), ("app", "EUR"), (None, "EUR")]


def test_an_old_contract_finds_nothing_wrong_with_new_events_but_their_version(spark: SparkSession) -> None:
    assert len(NEW) >= 2
    old = ORDERS.at(1)
    for row, whole in zip(validated(spark, old, NEW), validated(spark, ORDERS, NEW), strict=True):
        assert set(row["reasons"]) == {"unknown_version", "unknown_field"}
        assert whole["reasons"] == []
        assert row["orders"].asDict(True) == {name: whole["orders"].asDict(True)[name] for name in old.payload.names}


def test_an_old_contract_that_reads_newer_versions_leaves_out_new_fields_only(spark: SparkSession) -> None:
    old = replace(ORDERS.at(1), reads_newer=True)
    for row, whole in zip(validated(spark, old, NEW), validated(spark, ORDERS, NEW), strict=True):
        assert row["reasons"] == []
        assert row["schema_version"] == 2, "it can be counted"
        assert row["orders"].asDict(True) == {name: whole["orders"].asDict(True)[name] for name in old.payload.names}
    bad = [
        order("unknown field of a known version", NOW_MS, debug=1),
        order("field of a newer version", NOW_MS, channel="app"),
        order("no version", NOW_MS, schema_version=0),
        order("newer, but against an old rule", NOW_MS, schema_version=2, total_cents=1, channel="app"),
    ]
    found = [set(row["reasons"]) for row in validate_by(rows(spark, sent(bad)), (old,)).orderBy("offset").collect()]
    assert found == [{"unknown_field"}, {"unknown_field"}, {"unknown_version"}, {"total_mismatch"}]


def test_a_new_version_changes_nothing_for_events_of_the_old(spark: SparkSession) -> None:
    sources = [one for one in (*poison(NOW_MS), *neighbours(NOW_MS)) if one.topic == "orders"]
    good = [one for one in sources if not one.reasons]
    records = rows(spark, [*sources, *mutated(3, good, 1_500)])
    old, new = (
        {row["offset"]: row for row in validate_by(records, (one,)).collect()} for one in (ORDERS.at(1), ORDERS)
    )
    seen = 0
    for at, before in old.items():
        after = new[at]
        if after["schema_version"] == 2:
            continue
        assert (before["reasons"] == []) == (after["reasons"] == []), (before, after)
        if before["reasons"] == []:
            seen += 1
            assert before["content_hash"] == after["content_hash"], "a copy from before would be a conflict"
            assert before["orders"].asDict(True).items() <= after["orders"].asDict(True).items()
    assert seen > 100


def test_tables_of_the_old_version_are_widened_and_stay_whole(spark: SparkSession, local_lake: Path) -> None:
    def table(contract: Contract) -> Table:
        own = struct(
            column("event_id", "string", ""), column("orders", contract.payload, ""), column("day", "date", "")
        )
        return Table("silver", "events", own, partitioned_by=("day",))

    def row(name: str, **more: Any) -> dict[str, Any]:
        return {
            "event_id": name,
            "orders": {"order_id": name, "items": [], **more},
            "day": datetime(2026, 1, 31).date(),
        }

    old, new = table(ORDERS.at(1)), table(ORDERS)
    spark_tables.create(spark, old)
    append_once(arrow([row("a")], old.schema), old, "test", 1)
    spark_tables.create(spark, new)
    append_once(arrow([row("b", channel="app", currency="EUR")], new.schema), new, "test", 2)

    def seen() -> list[tuple[Any, ...]]:
        names = ("event_id", "orders.order_id", "orders.channel", "orders.currency")
        return sorted(map(tuple, spark_tables.read(spark, new).select(*names).collect()))

    expected = [("a", "a", None, None), ("b", "b", "app", "EUR")]
    assert seen() == expected
    arrow_tables.latest(new).optimize.compact()
    assert len(spark_tables.read(spark, new).inputFiles()) == 1
    assert seen() == expected


def rows(spark: SparkSession, records: list[Record]) -> Any:
    arrival = datetime.fromtimestamp(NOW_MS / 1000, UTC)
    found = [(one.topic, 0, place, arrival, one.key, one.value, None) for place, one in enumerate(records)]
    return spark.createDataFrame(found, RECORD)


def sent(events: list[dict[str, Any]]) -> list[Record]:
    return [Record("", "orders", event["order_id"].encode(), encoded(event)) for event in events]
