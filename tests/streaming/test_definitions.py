"""The version of a definition is the same wherever the code is the same, and another when the meaning is."""

from dataclasses import replace

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructField, StructType

from streaming import definitions as module
from streaming.contracts import CONTRACTS
from streaming.contracts.contract import between
from streaming.definitions import EVENTS, definitions, differing, fingerprint, of_event, of_topic
from streaming.silver import EVENT
from streaming.views import VIEWS
from streaming.views.order_totals import ORDER_TOTALS


@pytest.fixture(scope="module")
def versions(spark: SparkSession) -> dict[str, str]:
    return dict(definitions(spark))


def test_everything_that_is_derived_has_a_version_of_its_own(versions: dict[str, str]) -> None:
    assert set(versions) == {EVENTS, *map(of_topic, CONTRACTS), *VIEWS}
    assert len(set(versions.values())) == len(versions)


def test_another_session_with_other_counters_finds_the_same(spark: SparkSession, versions: dict[str, str]) -> None:
    spark.range(3).select(F.transform(F.array("id"), lambda x: x + 1)).collect()
    assert definitions(spark.newSession()) == versions


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


def test_a_new_topic_leaves_every_other_version_as_it_is(
    spark: SparkSession, versions: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CONTRACTS, "reviews", replace(CONTRACTS["payments"], topic="reviews"))
    column = StructField("reviews", CONTRACTS["reviews"].payload)
    monkeypatch.setattr(module, "EVENT", StructType([*EVENT.fields[:7], column, *EVENT.fields[7:]]))
    found = definitions(spark)
    assert {name for name in found if found[name] != versions.get(name)} == {EVENTS, of_topic("reviews")}


def test_an_event_carries_the_version_of_its_own_contract(spark: SparkSession, versions: dict[str, str]) -> None:
    rows = spark.createDataFrame([(topic,) for topic in CONTRACTS], "topic string").select("topic", of_event(versions))
    assert dict(rows.collect()) == {one: versions[of_topic(one)] for one in CONTRACTS}


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
