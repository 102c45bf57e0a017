"""By its law a view is recomputed for every delay as if it were defined anew from the events that the delay covers."""

import random
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from browsing import change, visit_step
from card import alert
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StructField, StructType

from batch.curve.points import Outcome
from batch.curve.steps import by_step, outcomes
from batch.days.day import Day
from batch.truth.recompute import view_day
from infra.lake.rows import frame
from streaming.tables.silver import EVENT
from streaming.views import VIEWS
from streaming.views.as_of import KNOWN_AT
from streaming.views.view import View

pytestmark = pytest.mark.slow

DAY = Day(date(2026, 1, 31))
CARD = (("payment_captured", 3), ("payment_failed", 4), ("payment_failed", 5), ("payment_captured", 20_000))
STEPS = (0, 10, 60, 600)
WAITED = StructType([*EVENT.fields, StructField("required_delay_seconds", LongType())])


def events(seed: int) -> list[dict[str, Any]]:
    """Events of a few minutes and a few keys, most of them on time."""
    dice = random.Random(seed)
    rows = []
    for number in range(120):
        at = datetime(2026, 1, 31, 12, tzinfo=UTC) + timedelta(seconds=dice.randrange(900))
        order = f"order-{dice.randrange(40)}"
        placed = {"order_id": order, "customer_id": "c", "total_cents": dice.randrange(9), "items": []}
        kind, cents = dice.choice(CARD)
        paid = {"order_id": order, "payment_id": f"p-{number}", "amount_cents": cents, "card_id": f"card-{number % 2}"}
        topic, kind, payload = dice.choice([("orders", "order_placed", placed), ("payments", kind, paid)])
        wait = dice.choice([0] * 12 + [5, 10, 11, 60, 599, 600, 5000])
        rows.append(
            {
                "topic": topic,
                "event_id": str(number),
                "partition": 0,
                "offset": number,
                "event_type": kind,
                "event_time": at,
                topic: payload,
            }
            | {"day": DAY.date, "required_delay_seconds": wait}
        )
    for name in range(40):
        at = datetime(2026, 1, 31, 13, name, tzinfo=UTC)
        for event in alert(f"{name}", at, dice):
            place = {"partition": 0, "offset": len(rows)}
            rows.append(event | place | {"required_delay_seconds": dice.choice([0, 0, 0, 0, 5, 11, 600, 5000])})
    for name in range(60):
        at = datetime(2026, 1, 31, 14, tzinfo=UTC) + timedelta(seconds=dice.randrange(5400))
        place = {"partition": 0, "offset": len(rows)}
        rows.append(
            visit_step(f"s-{name}", at, dice)
            | place
            | {"required_delay_seconds": dice.choice([0, 0, 5, 11, 600, 5000])}
        )
    for name in range(140):
        at = datetime(2026, 1, 31, 12, tzinfo=UTC) + timedelta(seconds=dice.choice((-90_000, dice.randrange(8000))))
        place = {"partition": 0, "offset": len(rows)}
        rows.append(
            change(f"c-{name}", at, dice) | place | {"required_delay_seconds": dice.choice([0, 0, 0, 5, 600, 5000])}
        )
    return rows


def known(view: View, found: DataFrame, step: int) -> DataFrame:
    """The events that a delay counts: those in time, and of changelogs the others too, from when they are known."""
    wait = F.col("required_delay_seconds")
    behind = F.greatest(wait - step, F.lit(0)) * 1_000_000
    own = found.where((wait <= step) | F.col("topic").isin(*view.changelogs) if view.changelogs else wait <= step)
    return own.withColumn(KNOWN_AT, F.timestamp_micros(F.unix_micros("event_time") + behind))


def anew(view: View, found: DataFrame, truth: DataFrame) -> dict[int | None, Outcome]:
    """The same from all events up, a step at a time."""
    right = {tuple(row[name] for name in view.key): row.asDict() for row in truth.collect()}
    expected = {}
    for step in (*STEPS, None):
        own = truth if step is None else view_day(view, known(view, found, step), DAY)
        rows = [row.asDict() for row in own.collect()]
        final = sum(row == right.get(tuple(row[name] for name in view.key)) for row in rows)
        expected[step] = Outcome(final, tuple(sum(row[m] or 0 for row in rows) for m in view.measures))
    return expected


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.soak) for seed in (2, 3, 4))])
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS.keys())
def test_every_step_is_as_if_defined_anew(spark: SparkSession, view: View, seed: int) -> None:
    found = frame(spark, events(seed), WAITED).persist()
    truth = view_day(view, found, DAY).persist()
    counted = {
        row["step"]: Outcome(row["final"], tuple(row["sums"]))
        for row in by_step(view, found, truth, DAY, STEPS).collect()
    }
    expected = anew(view, found, truth)
    assert outcomes(view, counted, STEPS) == expected
    assert len(set(expected.values())) > 2, "the steps differ"
    found.unpersist()
    truth.unpersist()


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS.keys())
def test_without_a_step_there_is_truth_alone(spark: SparkSession, view: View) -> None:
    found = frame(spark, [], WAITED)
    (row,) = by_step(view, found, view_day(view, frame(spark, events(3), WAITED), DAY), DAY, ()).collect()
    assert (row["step"], row["final"] > 0) == ("truth", True)
