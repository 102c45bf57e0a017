"""Of a settled day a run computes what can have changed, and no more; what was begun is done until the day is settled."""

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from corpus import encoded, identity, order, payment
from fewer import only_views
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from batch.archive.events import ARCHIVE, with_envelope
from batch.days.day import Day
from batch.days.day_plan import DayPlan, Redo
from batch.due.night_state import STATE, begun, record
from batch.due.redone import Redone
from batch.truth.recompute import TRUTH, TRUTH_QUARANTINE, Decided, truth, truth_table
from infra import failpoints
from infra.lake import arrow_tables, spark_tables
from infra.lake.rows import frame
from infra.lake.writes import append_once
from streaming.tables.bronze import RECORD
from streaming.versions.definitions import EVENTS, of_topic
from streaming.views import VIEWS

pytestmark = pytest.mark.slow

DAY = Day(date(2026, 1, 30))
NOON = datetime(2026, 1, 30, 12, tzinfo=UTC)
DEFINITIONS = dict.fromkeys((EVENTS, of_topic("orders"), of_topic("payments")), "v")


@pytest.fixture
def own(spark: SparkSession, local_lake: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SparkSession]:
    """The truth of an order and its payment, settled; a view of orders, one of payments, one of both."""
    monkeypatch.setattr(failpoints, "settings", lambda: SimpleNamespace(home=local_lake))
    with only_views("order_totals", "payment_health", "order_payments"):
        for table in (ARCHIVE, STATE, TRUTH, TRUTH_QUARANTINE, *map(truth_table, VIEWS.values())):
            spark_tables.create(spark, table)
        arrive(spark, 0, "orders", order("one", 0, event_time=millis(NOON), order_id=f"o-{1:032x}"))
        arrive(spark, 0, "payments", payment("one paid", 0, event_time=millis(NOON), order_id=f"o-{1:032x}"))
        truth(spark, DAY, "first", by())
        record(DAY, "first", "first")
        Redone(spark, plan(None)).end()
        yield spark


def by() -> dict[str, str]:
    return DEFINITIONS | dict.fromkeys(VIEWS, "v")


def millis(at: datetime) -> int:
    return round(at.timestamp() * 1000)


def arrive(spark: SparkSession, offset: int, topic: str, event: dict[str, Any]) -> None:
    value = encoded(event)
    row = {"topic": topic, "partition": 0, "offset": offset, "arrival": NOON, "value": value}
    row["key"] = json.loads(value)["order_id"].encode()
    append_once(with_envelope(frame(spark, [row], RECORD)), ARCHIVE, topic, offset)


def plan(redo: Redo | None) -> DayPlan:
    return DayPlan(DAY, "again", 2, {}, by(), redo=redo)


def names(views: Any) -> set[str]:
    return {view.name for view in views}


def events(spark: SparkSession) -> DataFrame:
    return spark_tables.read(spark, TRUTH)


def test_views_of_the_newer_records_topics_are_computed(own: SparkSession) -> None:
    again = Redone(own, plan(Redo(topics=frozenset({"payments"}))))
    assert again.needs.topics is None, "of an id every arrival counts, whatever its topic is"
    assert names(again.begin(events(own))) == names(again.views) == {"payment_health", "order_payments"}


def test_an_id_that_came_in_two_topics_changes_the_views_of_both(own: SparkSession) -> None:
    again = Redone(own, plan(Redo(topics=frozenset({"payments"}))))
    assert names(again.begin(events(own).where(F.col("topic") != "orders"))) == {*VIEWS}


def test_what_was_begun_is_done_again_until_the_day_is_settled(own: SparkSession) -> None:
    Redone(own, plan(Redo(frozenset({"order_totals"})))).begin(events(own))
    # That run died. The next finds another reason.
    again = Redone(own, plan(Redo(frozenset({"order_payments"}))))
    assert again.needs.topics == {"orders", "payments"}
    assert names(again.begin(events(own))) == {"order_totals", "order_payments"}
    record(DAY, "again", None)
    assert names(again.views) == {"order_totals", "order_payments"}
    again.end()
    assert again.views == []
    whole = Redone(own, plan(None))
    assert names(whole.begin(events(own))) == {*VIEWS}
    assert begun(DAY) is None
    assert names(again.begin(events(own))) == {*VIEWS}, "the whole day was begun, and is not settled"


def test_a_view_alone_is_computed_from_its_topics_alone(own: SparkSession) -> None:
    arrive(own, 1, "orders", order("two", 0, event_time=millis(NOON), order_id=f"o-{2:032x}"))
    before = {name: arrow_tables.latest(truth_table(view)).version() for name, view in VIEWS.items()}
    again = Redone(own, plan(Redo(frozenset({"order_totals"}))))
    truth(own, DAY, "again", by(), Decided(own, again.needs), again.begin)
    after = {name: arrow_tables.latest(truth_table(view)).version() for name, view in VIEWS.items()}
    assert {name for name in VIEWS if after[name] > before[name]} == {"order_totals"}
    assert sum(row["orders"] for row in arrow_tables.rows(truth_table(VIEWS["order_totals"]))) == 2
    assert {row["event_id"] for row in arrow_tables.rows(TRUTH)} == {identity("one", 0), identity("one paid", 0)}, (
        "as they were"
    )
