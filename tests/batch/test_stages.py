"""By its law a view has after every step the rows that all events of that step would give it, defined anew."""

import random
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest
from browsing import change, visit_step
from card import alert
from fewer import FEWER
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from batch.days.day import Day, Span
from batch.reconciliation import moves as module
from batch.reconciliation.causes import STEPS, Cause
from batch.reconciliation.evidence import EVIDENCE, KEPT
from batch.reconciliation.moves import MOVES, Found, Moves
from batch.reconciliation.stages import after_each, counts_at
from batch.truth.recompute import view_day
from infra.lake.rows import arrow, frame
from streaming.tables.silver import EVENT
from streaming.views import CHANGELOGS, VIEWS
from streaming.views.view import View

pytestmark = pytest.mark.slow

DAY = Day(date(2026, 1, 31))
CARD = (("payment_captured", 100), ("payment_failed", 100), ("payment_failed", 200), ("payment_captured", 20_000))
"""Payments that make the pattern of an alert, often enough."""
STEPPED = ("late", "not_read", "rule")
NUMBERS = {name: number for number, name in enumerate((cause.value for cause in STEPS), 1) if name in STEPPED}
PAIRS = ((0, None), (1, None), (3, None), (0, 5), (1, 5))
"""From which step an event counts, and until before which; the first is of an event that nothing moves."""


def events(seed: int) -> list[dict[str, Any]]:
    """Events of few keys, so that their parts and minutes meet; each with its pair."""
    chance = random.Random(seed)
    found = []
    for number in range(60):
        # Over both ends of the day, where rows have some of their events in another one.
        at = chance.choice((DAY.start, DAY.end)) + timedelta(
            minutes=chance.randint(-12, 90), seconds=chance.randint(0, 59)
        )
        order_id = f"o-{chance.randint(0, 14)}"
        enters, leaves = PAIRS[0] if chance.random() < 0.6 else chance.choice(PAIRS)
        event = {"event_id": f"e-{number}", "event_time": at, "partition": 0, "offset": number, "day": DAY.date}
        if chance.random() < 0.5:
            items = [{"product_id": "p-1", "quantity": chance.randint(1, 3), "unit_price_cents": 5}]
            own = {"order_id": order_id, "customer_id": "c-1", "items": items, "total_cents": number}
            event |= {"topic": "orders", "event_type": "order_placed", "orders": own}
        else:
            kind, cents = chance.choice(CARD)
            own = {
                "payment_id": f"pay-{number}",
                "order_id": order_id,
                "card_id": f"card-{number % 3}",
                "amount_cents": cents,
            }
            event |= {"topic": "payments", "event_type": kind, "payments": own}
        found.append(event | {"enters": enters, "leaves": leaves})
    for name in range(12):
        for event in alert(f"{name}", chance.choice((DAY.start, DAY.end)) + timedelta(minutes=name - 3), chance):
            enters, leaves = PAIRS[0] if chance.random() < 0.8 else chance.choice(PAIRS)
            found.append(event | {"partition": 0, "offset": len(found), "enters": enters, "leaves": leaves})
    for name in range(60):
        at = chance.choice((DAY.start, DAY.end)) + timedelta(minutes=chance.randint(-12, 90))
        enters, leaves = PAIRS[0] if chance.random() < 0.6 else chance.choice(PAIRS)
        event = visit_step(f"s-{name}", at, chance) | {"partition": 0, "offset": len(found), "day": DAY.date}
        found.append(event | {"enters": enters, "leaves": leaves})
    for name in range(80):
        # Some long before the day: of a changelog the last event of a key counts, however old.
        at = chance.choice((DAY.start, DAY.end)) + timedelta(minutes=chance.choice((-9000, chance.randint(-30, 90))))
        enters, leaves = PAIRS[0] if chance.random() < 0.6 else chance.choice(PAIRS)
        event = change(f"c-{name}", at, chance) | {"partition": 0, "offset": len(found)}
        found.append(event | {"enters": enters, "leaves": leaves})
    return found


def of(spark: SparkSession, rows: list[dict[str, Any]]) -> DataFrame:
    return frame(spark, [{k: v for k, v in row.items() if k not in ("enters", "leaves")} for row in rows], EVENT)


def moved_frame(spark: SparkSession, rows: list[dict[str, Any]]) -> DataFrame:
    at = frame(
        spark,
        [{name: row[name] for name in ("topic", "partition", "offset", "enters", "leaves")} for row in rows],
        MOVES,
    )
    return of(spark, rows).join(at.drop("of_silver"), ["topic", "partition", "offset"])


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.soak) for seed in (2, 3, 4))])
@pytest.mark.parametrize(
    ("view", "are_few"),
    [*((view, True) for view in VIEWS.values()), *((VIEWS[name], False) for name in FEWER)],
    ids=[*VIEWS, *(f"{name}-many" for name in FEWER)],
)
def test_every_step_is_the_view_of_its_events(spark: SparkSession, view: View, seed: int, are_few: bool) -> None:
    own = [row for row in events(seed) if row["topic"] in view.inputs]
    moved = [row for row in own if (row["enters"], row["leaves"]) != PAIRS[0]]
    unmoved = of(spark, [row for row in own if row not in moved])
    truth = view_day(view, of(spark, [row for row in own if row["leaves"] is None]), DAY)
    moves = Moves(unmoved, STEPPED, are_few)
    found = after_each(view, unmoved, moved_frame(spark, moved), truth, DAY, moves).persist()
    for name, step in {"counted": 0, **NUMBERS, "truth": len(STEPS)}.items():
        counting = [row for row in own if row["enters"] <= step and (row["leaves"] is None or row["leaves"] > step)]
        expected = view_day(view, of(spark, counting), DAY)
        rows = expected.select(*view.key, *view.values).collect()
        stage = found.where(F.col(name).isNotNull()).select(*view.key, f"{name}.*").collect()
        assert sorted(map(tuple, stage), key=repr) == sorted(map(tuple, rows), key=repr), name
        assert rows
    found.unpersist()


def test_an_event_counts_from_its_step_on_until_it_leaves(spark: SparkSession) -> None:
    one = spark.createDataFrame([(1, 3), (0, None)], "enters long, leaves long")
    counted = {step: one.where(counts_at(step)).count() for step in range(4)}
    assert counted == {0: 1, 1: 2, 2: 2, 3: 1}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS.keys())
def test_moves_are_the_same_in_the_driver_and_by_spark(
    spark: SparkSession, view: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    evidence = spark.createDataFrame(evidence_rows(), EVIDENCE.schema).select(*KEPT, "cause", "side")
    needed = Span(DAY.start, DAY.end)
    few = Found(spark, evidence).moves(view, needed)
    monkeypatch.setattr(module, "few", lambda frame: frame)
    many = Found(spark, evidence).moves(view, needed)
    assert few.steps == many.steps
    assert (few.are_few, many.are_few) == (True, False)
    columns = MOVES.fieldNames()
    assert set(few.places.select(columns).collect()) == set(many.places.select(columns).collect())
    assert few.places.where("leaves IS NOT NULL").count()


def evidence_rows() -> pa.Table:
    """A late event, one late and taken, one taken and another added in its place, one that nothing explains, one behind."""
    cases = [
        ("orders", 1, Cause.LATE, "add", 0), ("orders", 2, Cause.LATE, "add", 0), ("orders", 2, Cause.CONFLICT, "take", 0),
        ("orders", 3, Cause.DUPLICATE, "take", 0), ("orders", 4, Cause.DUPLICATE, "add", 0),
        ("orders", 5, Cause.UNEXPLAINED, "take", 0), ("payments", 1, Cause.LATE, "add", 0),
        ("payments", 2, Cause.RULE, "take", 0), ("orders", 6, Cause.LATE, "add", 30),
        ("clicks", 1, Cause.LATE, "add", 0), ("clicks", 1, Cause.CONFLICT, "take", 0),
        *((topic, 1, Cause.LATE, "add", -30) for topic in CHANGELOGS),
        *((topic, 2, cause, side, 0) for topic in CHANGELOGS for cause, side in ((Cause.LATE, "add"), (Cause.RULE, "take"))),
        *((topic, 3, Cause.RULE, side, 0) for topic in CHANGELOGS for side in ("add", "take")),
    ]  # fmt: skip
    rows = [
        {"event_id": f"{topic} {offset}", "event_time": datetime(2026, 1, 31, 12, tzinfo=UTC) + timedelta(hours=hours),
         "topic": topic, "partition": 0, "offset": offset, "late_by_ms": 0, "cause": cause.value, "side": side}
        for topic, offset, cause, side, hours in cases
    ]  # fmt: skip
    return arrow(rows, EVIDENCE.schema)
