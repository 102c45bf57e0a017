"""What the stream forgets: events that no open row needs, and that no row to come can meet."""

from datetime import timedelta
from typing import Any

import pytest
from fewer import only_views
from micro_batches import NOON, Run, said_and_expected
from pyspark.sql import SparkSession

from streaming.state.stores import PARTS
from streaming.views import VIEWS

pytestmark = pytest.mark.slow
MINUTE = timedelta(minutes=1)


def run_of(spark: SparkSession, view: str) -> Run:
    with only_views(view):
        return Run(spark)


def clicked(number: int, after: timedelta, customer: str = "c-1") -> dict[str, Any]:
    own = {"session_id": "v-1", "customer_id": customer, "product_id": "p-1"}
    event = {"topic": "clicks", "event_type": "product_clicked", "event_id": f"{customer} {number}", "clicks": own}
    return event | {"event_time": NOON + after}


def of_order(name: str, kind: str, after: timedelta, order: str) -> dict[str, Any]:
    own: dict[str, Any] = {"order_id": order, "customer_id": "c-1", "items": [], "total_cents": 100}
    topic = "orders"
    if kind == "payment_captured":
        topic, own = "payments", {"payment_id": name, "order_id": order, "card_id": "card-1", "amount_cents": 100}
    return {"topic": topic, "event_type": kind, "event_id": name, topic: own, "event_time": NOON + after}


def test_a_visit_that_a_pause_ended_is_forgotten(spark: SparkSession) -> None:
    own = run_of(spark, "shop_visits")
    for visit in range(8):
        # A pause of exactly half an hour ends no visit, a longer one does.
        begins = visit * (40 + 29 + 2) * MINUTE
        own.batch([clicked(40 * visit + one, begins + one * MINUTE) for one in range(40)])
        # That visit and the one before it; a log is written anew when most of it is of no use.
        assert own.keeping.held()[PARTS][0] <= 2 * 80
    said, expected = said_and_expected(own, VIEWS["shop_visits"])
    assert len(said) == 8
    assert said == expected


def test_a_robot_without_a_pause_stays_one_visit(spark: SparkSession) -> None:
    own = run_of(spark, "shop_visits")
    for number in range(14):
        own.batch([clicked(8 * number + one, (8 * number + one) * 20 * MINUTE) for one in range(8)])
    said, expected = said_and_expected(own, VIEWS["shop_visits"])
    assert len(said) == 1
    assert said == expected


def test_a_day_after_its_payment_an_order_is_forgotten(spark: SparkSession) -> None:
    own, hour = run_of(spark, "order_payments"), timedelta(hours=1)
    own.batch([of_order("open", "order_placed", 0 * hour, "o-1")])
    for number in range(9):
        at, order = 8 * number * hour, f"o-{number + 2}"
        own.batch([of_order(f"placed {number}", "order_placed", at, order)])
        own.batch([of_order(f"paid {number}", "payment_captured", at + MINUTE, order)])
        # That order, those of a day before it, and one that is open still.
        assert own.keeping.held()[PARTS][0] <= 2 * 5 + 1
    own.batch([of_order("paid at last", "payment_captured", 71 * hour, "o-1")])
    said, expected = said_and_expected(own, VIEWS["order_payments"])
    assert len(said) == 10
    assert said == expected


def test_an_order_placed_again_within_its_day_is_not_said_anew(spark: SparkSession) -> None:
    own, hour = run_of(spark, "order_payments"), timedelta(hours=1)
    own.batch([of_order("placed", "order_placed", -21 * hour, "o-1")])
    own.batch([of_order("paid", "payment_captured", -20 * hour, "o-1")])
    own.batch([of_order("elsewhere", "order_placed", 0 * hour, "o-2")])
    # Its row was closed 20 hours ago, and is the answer of that day for the key.
    own.batch([of_order("placed again", "order_placed", MINUTE, "o-1")])
    own.batch([of_order("elsewhere again", "order_placed", 80 * hour, "o-3")])
    said, expected = said_and_expected(own, VIEWS["order_payments"])
    assert said == expected
