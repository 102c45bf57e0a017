"""A day is redone for a new schema version only if it rejected a record of that version, and each day is looked at once."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from corpus import encoded, identity, order
from fewer import few_views
from in_force import in_force
from pyspark.sql import SparkSession

from batch.archive.events import ARCHIVE, with_envelope
from batch.days.day import Day
from batch.due.late_schema_versions import before_them
from batch.due.night_state import learned, record
from batch.due.plans import plans
from batch.night.all_tables import night_tables
from batch.settlement.settlements import settle
from batch.truth.recompute import truth
from infra import failpoints
from infra.lake import spark_tables
from infra.lake.rows import frame
from infra.lake.writes import append_once
from streaming.contracts import CONTRACTS
from streaming.tables.bronze import RECORD
from streaming.tables.progress import PROGRESS

pytestmark = pytest.mark.slow

FIRST, SECOND, NIGHT = (Day(date(2026, 1, day)) for day in (29, 30, 31))
DAYS = (FIRST, SECOND, NIGHT)


@pytest.fixture
def own(spark: SparkSession, local_lake: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SparkSession]:
    """An empty archive, and nothing settled. The schema's versions are no view's own."""
    monkeypatch.setattr(failpoints, "settings", lambda: SimpleNamespace(home=local_lake))
    with few_views():
        for table in (*night_tables(), PROGRESS):
            spark_tables.create(spark, table)
        yield spark


def arrive(spark: SparkSession, offset: int, at: datetime, **more: Any) -> None:
    name = str(offset)
    event = order(name, 0, event_time=round(at.timestamp() * 1000), order_id=f"o-{identity(name, 0)[:8]}") | more
    row = {"topic": "orders", "partition": 0, "offset": offset, "arrival": at, "key": event["order_id"].encode()}
    append_once(with_envelope(frame(spark, [row | {"value": encoded(event)}], RECORD)), ARCHIVE, "test", offset)


def due(spark: SparkSession, versions: Mapping[str, str]) -> list[Day]:
    return [plan.day for plan in plans(spark, NIGHT, versions)]


def settle_all(spark: SparkSession, versions: Mapping[str, str]) -> None:
    for day in DAYS:
        truth(spark, day, "run", dict(versions))
        record(day, "run", "run")
        for plan in plans(spark, day, versions, only=day):
            settle(plan)


def noon(day: Day) -> datetime:
    return day.start + timedelta(hours=12)


def test_a_compatible_version_redoes_no_day(own: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    now = in_force(own)
    with monkeypatch.context() as patch:
        patch.setitem(CONTRACTS, "orders", CONTRACTS["orders"].at(1))
        before = in_force(own)
        for offset, day in enumerate(DAYS):
            arrive(own, offset, noon(day))
        arrive(own, 3, noon(SECOND), schema_version=99)
        settle_all(own, before)
        assert due(own, before) == []
    assert due(own, now) == []
    assert learned() == {day.date: {"orders@2"} for day in DAYS}
    monkeypatch.setattr(
        "batch.due.late_schema_versions.validate", lambda *_: pytest.fail("the archive was searched again")
    )
    assert due(own, now) == []
    changed = {name: "changed" if name == "order_totals" else version for name, version in now.items()}
    assert due(own, changed) == list(DAYS)


def test_a_day_that_rejected_a_record_of_the_version_is_redone(
    own: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = in_force(own)
    with monkeypatch.context() as patch:
        patch.setitem(CONTRACTS, "orders", CONTRACTS["orders"].at(1))
        before = in_force(own)
        for offset, day in enumerate(DAYS):
            arrive(own, offset, noon(day))
        arrive(own, 3, noon(SECOND), schema_version=2, channel="app")
        arrive(own, 4, NIGHT.start, schema_version=2, channel="no channel")
        settle_all(own, before)
        assert due(own, before) == []
    assert due(own, now) == [SECOND], "what comes just after the first day, and what stays invalid, touch no day"
    assert learned() == {FIRST.date: {"orders@2"}, SECOND.date: set(), NIGHT.date: {"orders@2"}}
    assert due(own, now) == [SECOND], "until it is settled"
    (plan,) = plans(own, NIGHT, now)
    settle(plan)
    assert due(own, now) == []


def test_records_within_reach_after_a_day_count(own: SparkSession) -> None:
    arrive(own, 0, noon(FIRST))
    arrive(own, 1, noon(SECOND), schema_version=2, channel="app")
    arrive(own, 2, noon(SECOND), schema_version=2)
    at = "orders", 0
    read_to = {day.date: {at: 3} for day in DAYS}
    known = {day.date: {("orders", 2)} for day in DAYS[:2]}
    assert before_them(own, known, read_to) == read_to | {day.date: {at: 1} for day in DAYS[:2]}
    assert before_them(own, {FIRST.date: {("payments", 2)}}, read_to) == read_to
