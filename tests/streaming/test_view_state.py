"""The laws by which the stream keeps views current: whatever the history, what it said last is the view of its events."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest
from browsing import change
from fewer import few_views, only_views
from micro_batches import NOON, Run, arrow, said_and_expected
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from streaming.positions.watermark import arrow_time
from streaming.state import layout, stores
from streaming.state.changelog import counted_in_arrow
from streaming.state.stores import PARTS
from streaming.state.update_views import Keeping
from streaming.tables.speed import latest_rows
from streaming.views import VIEWS
from streaming.views.view import View

pytestmark = pytest.mark.slow

CARD = (("payment_captured", 100), ("payment_failed", 100), ("payment_failed", 200), ("payment_captured", 20_000))
"""Payments that make the pattern of an alert, and undo it when one comes between."""
HISTORIES = (
    pytest.param(((132, 4, 1), None), id="short, and nothing is held"),
    pytest.param(((206, 8, 2), (3, 3, 1)), id="long, and parts wait"),
)
"""A seed of which every view has some rows, number of micro-batches, and how many pieces of the history are in each: with two, as
in a backlog, the end of what is open comes in with what follows it. And MANY, LARGE, SHARE of parts that may wait; without these
nothing is held in memory."""


def pattern(name: str, order_id: str, at: datetime, chance: random.Random) -> Iterator[dict[str, Any]]:
    """Payments on one card that make an alert, or would if none were late."""
    card = f"card-{chance.randint(0, 1)}"
    for place, (kind, cents) in enumerate(CARD):
        own = {"payment_id": f"pay-{name}-{place}", "order_id": order_id, "card_id": card, "amount_cents": cents}
        moment = at - timedelta(seconds=chance.choice([150, 160, 500]) - 40 * place)
        event = {"topic": "payments", "event_type": kind, "payments": own, "event_time": moment}
        yield event | {"event_id": f"{name}-{place}"}


def histories(seed: int, batches: int) -> Iterator[list[dict[str, Any]]]:
    """Micro-batches of orders, cancellations and payments: shuffled, out of order, an order id placed twice, pauses."""
    chance, changes, days = random.Random(seed), random.Random(-seed), random.Random(f"days {seed}")
    at = NOON
    orders: list[tuple[str, datetime]] = []
    number = 0
    for _ in range(batches):
        batch, moved = [], []
        for _ in range(chance.choice((0, 1, 6, 14, 20))):
            at += timedelta(seconds=chance.choice([1, 20, 90, 400]))
            number += 1
            if orders and chance.random() < 0.2:
                batch += pattern(f"{seed}-{number}", orders[-1][0], at, chance)
            event = {"event_id": f"{seed}-{number}", "event_time": at - timedelta(seconds=chance.randint(0, 500))}
            for place in range(changes.randint(0, 2)):
                # Often late: a changelog's event counts even then, from the watermark on.
                behind = timedelta(seconds=changes.choice((0, 60, 900, 4000)))
                moved.append(change(f"{seed}-{number}-{place}", at - behind, changes))
            customer = f"c-{chance.randint(1, 3)}"
            if chance.random() < 0.3:
                topic, kind = chance.choice((("searches", "search_made"), ("clicks", "product_clicked")))
                product = f"p-{chance.randint(1, 3)}"
                own = {"session_id": f"v-{chance.randint(1, 2)}", "customer_id": customer, "query": "lamp"}
                own |= {"product_ids": ["p-1", "p-2"], "product_id": product}
                batch.append({"topic": topic, "event_type": kind, topic: own, **event})
            elif orders and chance.random() < 0.5:
                order_id, _ = chance.choice(orders[-6:])
                kind, cents = chance.choice(CARD)
                own = {"payment_id": f"pay-{number}", "order_id": order_id, "card_id": "card-1", "amount_cents": cents}
                batch.append({"topic": "payments", "event_type": kind, "payments": own, **event})
            else:
                order_id = chance.choice(orders)[0] if orders and chance.random() < 0.2 else f"o-{number}"
                orders.append((order_id, event["event_time"]))
                items = [{"product_id": "p-1", "quantity": chance.randint(1, 3), "unit_price_cents": 5}]
                own = {"order_id": order_id, "customer_id": customer, "items": items, "total_cents": number}
                draw = chance.random()
                kind = "order_placed" if draw < 0.9 else "items_added" if draw < 0.95 else "order_cancelled"
                batch.append({"topic": "orders", "event_type": kind, "orders": own, **event})
        at += timedelta(minutes=chance.choice([0, 0, 5, 65]), hours=days.choice((0, 0, 0, 25)))
        chance.shuffle(batch)
        for one in moved:
            batch.insert(changes.randint(0, len(batch)), one)
        yield batch


@pytest.fixture(scope="module", params=HISTORIES)
def run(request: pytest.FixtureRequest, spark: SparkSession) -> Run:
    (seed, batches, at_once), large = request.param
    pieces = histories(seed, batches * at_once)
    with small_parts(*large) if large else patch.object(layout, "HELD", 0):
        own = Run(spark)
        for place in range(batches):
            batch = [event for piece in islice(pieces, at_once) for event in piece]
            # From the third on with generated code.
            with patch.object(stores, "GENERATE_AFTER", 0 if place > 1 else 10**9):
                own.batch(batch, more_comes=large is not None and place + 1 < batches)
            if place % 3 == 2:
                own.restart()
    return own


@contextmanager
def small_parts(many: int, large: int, share: int) -> Iterator[None]:
    """Parts of a few events are taken for large ones."""
    with (
        patch.object(layout, "MANY", many),
        patch.object(layout, "LARGE", large),
        patch.object(layout, "SHARE", share),
    ):
        yield


@pytest.mark.parametrize("view", VIEWS.values(), ids=lambda view: view.name)
def test_what_was_said_last_is_the_view_of_all_events(run: Run, view: View) -> None:
    found, expected = said_and_expected(run, view)
    assert len(found) > 2
    assert found == expected


@pytest.mark.parametrize("view", VIEWS.values(), ids=lambda view: view.name)
def test_a_final_row_is_never_said_again_with_other_values(run: Run, view: View) -> None:
    log = pa.concat_tables(run.said[view.name])
    final = log.filter(log["is_final"]).drop_columns(["batch_id"])
    assert final.num_rows == final.group_by(final.column_names).aggregate([]).num_rows


def test_a_row_that_an_event_undoes_is_written_as_removed(spark: SparkSession) -> None:
    def paid(number: int, seconds: int, kind: str, cents: int) -> dict[str, Any]:
        own = {"payment_id": f"pay-{number}", "order_id": "o-1", "card_id": "card-1", "amount_cents": cents}
        event = {"topic": "payments", "event_type": kind, "event_id": f"{number}", "payments": own}
        return event | {"event_time": NOON + timedelta(seconds=seconds)}

    own = Run(spark)
    own.batch([paid(number, 10 * number, kind, cents) for number, (kind, cents) in enumerate(CARD)])
    assert [rows["event_id"].to_pylist() for rows in own.said["fraud_alerts"]] == [["3"]]
    own.restart()
    own.batch([paid(9, 15, "payment_captured", 700)])
    *_, last = own.said["fraud_alerts"]
    assert last.select(["event_id", "is_removed", "is_final"]).to_pylist() == [
        {"event_id": "3", "is_removed": True, "is_final": False}
    ]
    log = spark.createDataFrame(pa.concat_tables(own.said["fraud_alerts"]).combine_chunks())
    assert latest_rows(VIEWS["fraud_alerts"], log.withColumn("as_of", F.lit(NOON))).count() == 0


def test_a_change_is_said_at_once_in_open_rows(spark: SparkSession) -> None:
    with few_views("clicks_with_customer"):
        own = Run(spark)
    named = {"customer_id": "c-1", "name": "Ann", "region": "north"}
    clicked = {"customer_id": "c-1", "session_id": "v-1", "product_id": "p-1"}
    click = {"topic": "clicks", "event_type": "product_clicked", "event_id": "click", "clicks": clicked}
    moved = {"topic": "customers", "event_type": "customer_moved", "event_id": "moved", "customers": named}
    own.batch([click | {"event_time": NOON}])
    own.batch([moved | {"event_time": NOON - timedelta(minutes=1)}])
    said = [row for rows in own.said["clicks_with_customer"] for row in rows.to_pylist()]
    assert [(row["region"], row["is_final"]) for row in said] == [(None, False), ("north", False)]


def test_an_event_counts_in_the_lookback_of_later_windows(spark: SparkSession) -> None:
    with few_views():
        own = Run(spark)

    def placed(name: str, seconds: int) -> dict[str, Any]:
        order = {"order_id": f"o-{name}", "customer_id": "c-1", "items": [], "total_cents": 1}
        event = {"topic": "orders", "event_type": "order_placed", "event_id": name, "orders": order}
        return event | {"event_time": NOON + timedelta(seconds=seconds)}

    own.batch([placed("later", 200)])
    own.batch([placed("earlier", 10)])
    *_, last = own.said["rolling_order_rate"]
    # Its own window is three minutes before that of the row which it changes.
    assert sorted((row["event_id"], row["orders"]) for row in last.to_pylist()) == [("earlier", 1), ("later", 2)]


def test_a_window_counts_in_the_lookback_of_what_comes_with_its_end(spark: SparkSession) -> None:
    with only_views("rolling_order_rate"):
        own = Run(spark)
    own.batch([placed(1)])
    # One micro-batch brings the order that looks back at the first, and the time that closes both.
    own.batch([placed(2, minutes=4), placed(3, minutes=60)])
    *_, last = own.said["rolling_order_rate"]
    assert sorted((row["event_id"], row["orders"]) for row in last.to_pylist()) == [("1", 1), ("2", 2), ("3", 1)]


@pytest.fixture
def patient(spark: SparkSession) -> Iterator[Run]:
    """Four events make a large part, and a fourth of them is what it waits for."""
    with only_views("order_value_percentiles"), small_parts(4, 4, 4):
        yield Run(spark)


def placed(number: int, minutes: float = 0) -> dict[str, Any]:
    order = {"order_id": f"o-{number}", "customer_id": "c-1", "items": [], "total_cents": number}
    event = {"topic": "orders", "event_type": "order_placed", "event_id": f"{number}", "orders": order}
    return event | {"event_time": NOON + timedelta(minutes=minutes, milliseconds=number)}


def said(run: Run) -> list[tuple[int, bool]]:
    """What the last micro-batch said of windows: how many orders each has, and whether it is final."""
    rows = [row for rows in run.said["order_value_percentiles"] for row in rows.to_pylist()]
    return [(row["orders"], row["is_final"]) for row in rows if row["batch_id"] == run.number - 1]


def test_a_large_part_waits_until_it_has_grown_or_nothing_more_comes(patient: Run) -> None:
    steps = ((range(9), True), (range(9, 11), True), (range(11, 13), True), (range(13, 14), True), ((), False))
    heard = []
    for numbers, more_comes in steps:
        patient.batch([placed(number) for number in numbers], more_comes)
        heard.append(said(patient))
    assert heard == [[(9, False)], [], [(13, False)], [], [(14, False)]]


def test_what_waits_is_lost_neither_with_the_state_nor_with_the_watermark(patient: Run) -> None:
    patient.batch([placed(number) for number in range(9)], more_comes=True)
    patient.batch([placed(9)], more_comes=True)
    assert said(patient) == []
    patient.restart()
    patient.batch([], more_comes=True)
    assert said(patient) == [(10, False)]
    patient.batch([placed(10)], more_comes=True)
    assert said(patient) == []
    patient.batch([placed(99, minutes=60)], more_comes=True)
    assert said(patient) == [(11, True), (1, False)]


def test_only_what_the_watermark_has_not_closed_is_kept(spark: SparkSession) -> None:
    with few_views():
        own = Run(spark)
    for number in range(5):
        at = NOON + timedelta(days=4 * number)
        order = {"order_id": f"o-{number}", "customer_id": "c-1", "items": [], "total_cents": 1}
        own.batch(
            [
                {
                    "topic": "orders",
                    "event_type": "order_placed",
                    "event_id": f"{number}",
                    "event_time": at,
                    "orders": order,
                }
            ]
        )
    held = own.keeping.held()
    assert set(held) == {"order_totals", PARTS}
    assert held["order_totals"][0] == 1
    # The last order by its id and by its minute; and the minute before, at which rows that came with its end could look back.
    assert held[PARTS][0] == 3
    assert all(size > 0 for rows, size in held.values())


def test_a_batch_without_events_says_nothing(spark: SparkSession, tmp_path: Path) -> None:
    assert Keeping(spark, str(tmp_path)).update(counted_in_arrow(arrow([])), None, None) == {}


def test_events_of_a_topic_that_no_view_reads_stop_nothing(spark: SparkSession, tmp_path: Path) -> None:
    foreign = [{"topic": "elsewhere", "event_id": "e", "event_type": "seen", "event_time": NOON + timedelta(days=9)}]
    alone = Keeping(spark, str(tmp_path))
    assert alone.update(counted_in_arrow(arrow(foreign)), None, arrow_time(NOON + timedelta(days=9))) == {}
    with few_views():
        own = Run(spark)
    own.batch(next(histories(1, 1)))
    own.batch(foreign)
    said = {view: rows[-1] for view, rows in own.said.items() if rows}
    assert {*said} >= {"order_totals", "order_payments"}
    # They move the watermark of all topics, so that the rows before are final.
    assert {name: set(rows["is_final"].to_pylist()) for name, rows in said.items()} == {view: {True} for view in said}
    # And once nothing is open any more there is nothing to define.
    own.batch([foreign[0] | {"event_time": NOON + timedelta(days=10)}])
