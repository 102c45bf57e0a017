"""The version of a definition is the same wherever the code is the same, and another when the meaning is."""

from dataclasses import replace

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from streaming import definitions as module
from streaming.contracts import CONTRACTS
from streaming.contracts.contract import between
from streaming.definitions import EVENTS, definitions, fingerprint
from streaming.views import VIEWS
from streaming.views.order_totals import ORDER_TOTALS


@pytest.fixture(scope="module")
def versions(spark: SparkSession) -> dict[str, str]:
    return dict(definitions(spark))


def test_everything_that_is_derived_has_a_version_of_its_own(versions: dict[str, str]) -> None:
    assert set(versions) == {EVENTS, *VIEWS}
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


def test_a_changed_rule_is_another_version_of_everything(
    spark: SparkSession, versions: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stricter = replace(CONTRACTS["payments"], rules=(*CONTRACTS["payments"].rules, between("amount_cents", 1, 2)))
    monkeypatch.setitem(CONTRACTS, "payments", stricter)
    found = definitions(spark)
    assert all(found[name] != versions[name] for name in versions)


def test_a_number_in_a_definition_counts(spark: SparkSession) -> None:
    one, other, again = (spark.range(3).where(F.col("id") < limit) for limit in (1, 2, 1))
    assert fingerprint(one) == fingerprint(again) != fingerprint(other)
