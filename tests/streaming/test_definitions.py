"""The version of a definition is the same wherever the code is the same, and another when the meaning is."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from fewer import few_views
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructField, StructType

from streaming.contracts import CONTRACTS
from streaming.contracts.contract import between, matches
from streaming.shop.views.order_totals import ORDER_TOTALS
from streaming.tables.silver import EVENT
from streaming.versions import definitions as module
from streaming.versions.definitions import (
    EVENTS,
    definitions,
    differing,
    fingerprint,
    learned,
    of_event,
    of_one_event,
    of_topic,
)
from streaming.versions.generation import topics_gone
from streaming.views import VIEWS

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def few() -> Iterator[None]:
    """Every version takes a plan, and these tests ask for all of them again and again."""
    with few_views():
        yield


@pytest.fixture(scope="module")
def versions(spark: SparkSession) -> dict[str, str]:
    return dict(definitions(spark))


def test_everything_that_is_derived_has_a_version_of_its_own(versions: dict[str, str]) -> None:
    topics = {of_topic(topic, number) for topic, contract in CONTRACTS.items() for number in contract.versions}
    assert set(versions) == {EVENTS, *topics, *VIEWS}
    assert len(set(versions.values())) == len(versions)


def test_another_session_with_other_counters_finds_the_same(spark: SparkSession, versions: dict[str, str]) -> None:
    spark.range(3).select(F.transform(F.array("id"), lambda x: x + 1)).collect()
    assert definitions(spark.newSession()) == versions


def test_a_number_in_a_text_and_the_column_that_is_meant_count(spark: SparkSession) -> None:
    one = spark.createDataFrame([], "name string, of string")
    other = spark.createDataFrame([], "theirs string, of string")
    ways = [
        one.where(F.col("name") == "tier_1"),
        one.where(F.col("name") == "tier_2"),
        one.where(F.col("name") == "no #1"),
        one.where(F.col("name") == "no #2"),
        one.join(other, one["name"] == other["theirs"]).select(one["of"]),
        one.join(other, one["name"] == other["theirs"]).select(other["of"]),
    ]
    assert len({fingerprint(way) for way in ways}) == len(ways)
    assert fingerprint(ways[5]) == fingerprint(one.join(other, one["name"] == other["theirs"]).select(other["of"]))


def test_a_changed_view_is_another_version_and_leaves_the_others(
    spark: SparkSession, versions: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = replace(ORDER_TOTALS, define=lambda events: ORDER_TOTALS.define(events).where("revenue_cents >= 0"))
    monkeypatch.setitem(module.VIEWS, "order_totals", changed)
    found = definitions(spark)
    assert [name for name in versions if found[name] != versions[name]] == ["order_totals"]


def test_a_changed_rule_changes_its_topic_and_what_reads_it(
    spark: SparkSession, versions: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stricter = replace(CONTRACTS["payments"], rules=(*CONTRACTS["payments"].rules, between("amount_cents", 1, 2)))
    monkeypatch.setitem(CONTRACTS, "payments", stricter)
    found = definitions(spark)
    readers = {view.name for view in VIEWS.values() if "payments" in view.inputs}
    assert {name for name in versions if found[name] != versions[name]} == {EVENTS, of_topic("payments"), *readers}
    assert "order_totals" not in readers


def test_what_a_contract_masks_is_in_no_version(spark: SparkSession, versions: dict[str, str]) -> None:
    masked = replace(CONTRACTS["orders"], masked=("customer_id", "channel"))
    with module.whole_plans(spark):
        found = [module._of_contract(spark, masked, number) for number in masked.versions]
    assert found == [versions[of_topic("orders", number)] for number in masked.versions]


def test_a_new_topic_leaves_every_other_version_as_it_is(
    spark: SparkSession, versions: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CONTRACTS, "reviews", replace(CONTRACTS["payments"], topic="reviews"))
    column = StructField("reviews", CONTRACTS["reviews"].payload)
    monkeypatch.setattr(module, "EVENT", StructType([*EVENT.fields[:7], column, *EVENT.fields[7:]]))
    found = definitions(spark)
    assert {name for name in found if found[name] != versions.get(name)} == {EVENTS, of_topic("reviews")}


def test_an_event_carries_the_version_of_its_own_contract(spark: SparkSession, versions: dict[str, str]) -> None:
    known = [(topic, number) for topic, contract in CONTRACTS.items() for number in contract.versions]
    rows = spark.createDataFrame(known, "topic string, schema_version int").withColumn("by", of_event(versions))
    assert {(topic, number): by for topic, number, by in rows.collect()} == {
        one: versions[of_topic(*one)] == of_one_event(versions, *one) and versions[of_topic(*one)] for one in known
    }
    newer = spark.createDataFrame([("orders", 9)], "topic string, schema_version int").select(of_event(versions))
    assert newer.first()[0] == versions[of_topic("orders")] == of_one_event(versions, "orders", 9)  # type: ignore[index]


def test_a_new_schema_version_leaves_every_other_version_as_it_is(
    spark: SparkSession, versions: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CONTRACTS, "orders", CONTRACTS["orders"].at(1))
    before = definitions(spark)
    assert differing(before, versions) == set()
    assert {name for name in versions if versions[name] != before.get(name)} == {EVENTS, of_topic("orders", 2)}
    assert learned(before, versions) == {("orders", 2)}
    assert (learned(versions, versions), learned({}, versions)) == (set(), set())
    assert differing(versions, before) == {of_topic("orders", 2)}, "it was withdrawn"


@pytest.mark.parametrize(
    "changes",
    [
        {"rules": ()},
        {"rules": (matches("channel", "app"), matches("currency", "EUR"))},
        {"defaults": {"currency": "USD"}},
    ],
)
def test_a_changed_schema_version_redoes_its_own_days_only(
    spark: SparkSession, versions: dict[str, str], monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any]
) -> None:
    (second,) = CONTRACTS["orders"].later
    monkeypatch.setitem(CONTRACTS, "orders", replace(CONTRACTS["orders"], later=(replace(second, **changes),)))
    found = definitions(spark)
    assert differing(versions, found) == {of_topic("orders", 2)}
    older = {name: version for name, version in versions.items() if name not in (EVENTS, of_topic("orders", 2))}
    assert differing(older, found) == set()


def test_a_rule_of_the_first_version_changes_the_later_ones_too(
    spark: SparkSession, versions: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    orders = CONTRACTS["orders"]
    monkeypatch.setitem(CONTRACTS, "orders", replace(orders, rules=orders.rules[1:]))
    readers = {view.name for view in VIEWS.values() if "orders" in view.inputs}
    assert differing(versions, definitions(spark)) == {of_topic("orders"), of_topic("orders", 2), *readers}


def test_a_view_covers_the_schema_version_whose_fields_it_reads(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    for read in (lambda events: events["channel"], lambda events: F.col("currency")):
        of_later = replace(
            ORDER_TOTALS,
            define=lambda events, read=read: ORDER_TOTALS.define(
                {"orders": events["orders"].where(read(events["orders"]) > "")}
            ),
        )
        with monkeypatch.context() as patch:
            patch.setitem(module.VIEWS, "order_totals", of_later)
            before = definitions(spark)
            (second,) = CONTRACTS["orders"].later
            other = replace(second, defaults={"currency": "USD"})
            patch.setitem(CONTRACTS, "orders", replace(CONTRACTS["orders"], later=(other,)))
            assert differing(before, definitions(spark)) == {of_topic("orders", 2), "order_totals"}


def test_what_reads_newer_versions_is_made_anew_when_one_is_learned(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    tolerant = replace(CONTRACTS["orders"], reads_newer=True)
    monkeypatch.setitem(CONTRACTS, "orders", tolerant.at(1))
    before = definitions(spark)
    monkeypatch.setitem(CONTRACTS, "orders", tolerant)
    assert of_topic("orders") in differing(before, definitions(spark))


def test_no_schema_version_is_a_topic_that_is_gone() -> None:
    written = {of_topic("orders"): "a", of_topic("orders", 2): "b", of_topic("gone"): "c", of_topic("gone", 2): "d"}
    assert topics_gone(written, {of_topic("orders"): "a"}) == ["gone"]


def test_a_new_topic_is_no_difference_and_a_new_view_is_one() -> None:
    by = {"events": "a", "events/orders": "b", "totals": "c", "gone": "d"}
    assert differing(by, {**by, "events": "x", "events/clicks": "x"}) == set()
    assert differing(by, {**by, "new": "x"}) == {"new"}
    assert differing(by, {"events": "other", "events/orders": "b", "totals": "c"}) == set()
    assert differing(by, {**by, "events/orders": "other", "totals": "other"}) == {"events/orders", "totals"}
    older = {"events": "a", "totals": "c"}
    assert differing(older, {**older, "events/orders": "b"}) == set(), (
        "recorded before contracts had versions of their own"
    )
    assert differing(older, {**older, "events": "other", "events/orders": "b"}) == {"events"}


def test_a_number_in_a_definition_counts(spark: SparkSession) -> None:
    one, other, again = (spark.range(3).where(F.col("id") < limit) for limit in (1, 2, 1))
    assert fingerprint(one) == fingerprint(again) != fingerprint(other)


def test_plans_are_short_again_once_they_are_hashed(spark: SparkSession) -> None:
    names = ("spark.sql.debug.maxToStringFields", "spark.sql.maxPlanStringLength")
    with few_views():
        definitions(spark)
    assert [int(spark.conf.get(name)) for name in names] == [25, 2000]
