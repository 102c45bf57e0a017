"""Several versions of a day's events, computed at once, give each version the rows that it has alone."""

import random
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from browsing import change, visit_step
from card import alert
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StringType, StructField, StructType

from batch.days.day import Day
from batch.truth.recompute import view_day
from batch.truth.versions import VERSION, view_day_by_version
from infra.lake.rows import frame
from streaming.contracts import CONTRACTS
from streaming.tables.silver import EVENT
from streaming.views import VIEWS
from streaming.views.law import ByPart
from streaming.views.view import View

DAY = Day(date(2026, 1, 31))
VERSIONED = StructType([*EVENT.fields, StructField(VERSION, StringType())])
CARD = (("payment_captured", 3), ("payment_failed", 4), ("payment_failed", 5), ("payment_captured", 20_000))
BY_PART = [view for view in VIEWS.values() if isinstance(view.law, ByPart)]


def events(seed: int) -> list[dict[str, Any]]:
    """Events of few keys over midnight, each in some of three versions."""
    dice = random.Random(seed)
    rows = []
    for number in range(150):
        at = datetime(2026, 1, 31, 23, 20, tzinfo=UTC) + timedelta(seconds=dice.randrange(4800))
        order = f"order-{dice.randrange(25)}"
        placed = {"order_id": order, "customer_id": "c", "total_cents": dice.randrange(9), "items": []}
        kind, cents = dice.choice(CARD)
        paid = {"order_id": order, "payment_id": f"p-{number}", "amount_cents": cents, "card_id": f"card-{number % 2}"}
        topic, kind, payload = dice.choice([("orders", "order_placed", placed), ("payments", kind, paid)])
        event = {"topic": topic, "event_id": str(number), "event_type": kind, "event_time": at, topic: payload}
        rows += [event | {VERSION: version} for version in ("0", "late", "600") if dice.random() < 0.7]
    for number in range(20):
        at = datetime(2026, 1, 31, 23, 20, tzinfo=UTC) + timedelta(minutes=2 * number)
        for event in alert(f"{number}", at, dice):
            rows += [event | {VERSION: version} for version in ("0", "late", "600") if dice.random() < 0.9]
    for number in range(60):
        event = visit_step(f"s-{number}", datetime(2026, 1, 31, 23, 20, tzinfo=UTC) + timedelta(minutes=number), dice)
        rows += [event | {VERSION: version} for version in ("0", "late", "600") if dice.random() < 0.7]
    for number in range(90):
        at = datetime(2026, 1, 31, 23, 20, tzinfo=UTC) + timedelta(minutes=dice.choice((-900, number, number)))
        event = change(f"c-{number}", at, dice)
        rows += [event | {VERSION: version} for version in ("0", "late", "600") if dice.random() < 0.8]
    return rows


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.soak) for seed in (2, 3, 4))])
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS.keys())
def test_each_version_has_the_rows_it_has_alone(spark: SparkSession, view: View, seed: int) -> None:
    found = frame(spark, events(seed), VERSIONED).persist()
    together = view_day_by_version(view, view.law, found, DAY).collect()
    for version in ("0", "late", "600"):
        alone = view_day(view, found.where(F.col(VERSION) == version).drop(VERSION), DAY).collect()
        assert alone, "a version without rows shows nothing"
        assert in_order(alone) == in_order([row for row in together if row[VERSION] == version])
    found.unpersist()


def in_order(rows: list[Row]) -> list[list[tuple[str, str]]]:
    return sorted(sorted((name, str(value)) for name, value in row.asDict().items() if name != VERSION) for row in rows)


@pytest.mark.parametrize("view", BY_PART, ids=lambda view: view.name)
def test_every_event_of_a_view_by_part_names_its_part(view: View) -> None:
    assert isinstance(view.law, ByPart)
    for contract in (CONTRACTS[topic] for topic in view.streams):
        assert contract.payload[view.law.column].dataType == StringType()
        assert all(view.law.column in fields for fields in contract.required.values()), contract.topic
