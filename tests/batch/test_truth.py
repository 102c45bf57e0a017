"""The night finds an event's other arrivals wherever they lie in the archive, and reads payloads only of their days."""

import json
from collections.abc import Collection
from datetime import date, timedelta
from pathlib import Path

import pytest
from corpus import encoded, order
from pyspark.sql import DataFrame, SparkSession

from batch.archive.events import ARCHIVE, with_envelope
from batch.days.day import Day
from batch.truth import recompute as module
from batch.truth.reach import Reach
from batch.truth.recompute import decided
from infra.lake import spark_tables
from infra.lake.rows import frame
from infra.lake.writes import append_once
from streaming.reasons import Outcome
from streaming.tables.bronze import RECORD

pytestmark = pytest.mark.slow

DAY, OTHER, THIRD = (Day(date(2026, 1, day)) for day in (30, 20, 25))
ITSELF = Reach((), whole=True)


@pytest.fixture
def own(spark: SparkSession, local_lake: Path) -> SparkSession:
    """Three orders of the day. Of the first there is an earlier arrival with another content, on another day."""
    spark_tables.create(spark, ARCHIVE)
    arrive(
        spark, 0, OTHER, "first", total_cents=999, items=[{"product_id": "p-1", "quantity": 1, "unit_price_cents": 999}]
    )
    arrive(spark, 1, DAY, "first")
    arrive(spark, 2, DAY, "second")
    arrive(spark, 3, DAY, "second")
    arrive(spark, 4, THIRD, "third, of another day")
    return spark


def arrive(spark: SparkSession, offset: int, day: Day, name: str, **changes: object) -> None:
    at = day.start + timedelta(hours=12)
    value = order(name, 0, event_time=round(at.timestamp() * 1000), **changes)
    row = {"topic": "orders", "partition": 0, "offset": offset, "key": value["order_id"].encode()}
    row |= {"value": encoded(value), "arrival": day.start + timedelta(hours=13)}
    append_once(with_envelope(frame(spark, [row], RECORD)), ARCHIVE, "test", offset)


def outcomes_of_day(spark: SparkSession) -> dict[int, str]:
    return {row["offset"]: row["outcome"] for row in decided(spark, DAY, ITSELF).collect()}


@pytest.mark.parametrize("limit", [100, 0], ids=["few other arrivals", "many"])
def test_an_earlier_arrival_on_another_day_is_found(
    own: SparkSession, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    monkeypatch.setattr("infra.lake.writes.FEW", limit)
    assert outcomes_of_day(own) == {
        1: Outcome.CONFLICT.value,
        2: Outcome.ACCEPTED.value,
        3: Outcome.DUPLICATE.value,
    }


def test_payloads_are_read_on_days_with_another_arrival_only(
    own: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[set[date]] = []
    archived_on = module.archived_on

    def noted(session: SparkSession, days: Collection[date], *older: Collection[str]) -> DataFrame:
        read.append({*days})
        return archived_on(session, days, *older)

    monkeypatch.setattr(module, "archived_on", noted)
    found = decided(own, DAY, ITSELF).select("value").collect()
    assert read == [ITSELF.days(DAY), {OTHER.date}]
    assert all(json.loads(row["value"])["total_cents"] for row in found)
