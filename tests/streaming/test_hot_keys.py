"""One key on everything: a thousand orders, payments, clicks, moves of one key make thousands of rows and not a million."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from flat import KNOWN, arrow, rows_of
from oracle import ORACLE
from plans import most_rows, slow
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from streaming.shop.views.click_through import MOST_CLICKS
from streaming.shop.views.open_orders_by_region import MOST_MOVES
from streaming.state.shared_plan import answered
from streaming.state.view_state import CLOSES
from streaming.views import VIEWS
from streaming.views.law import Additive
from streaming.views.view import View

NOON_MS = round(datetime(2026, 1, 31, 12, tzinfo=UTC).timestamp() * 1000)
MANY, SOME = 1000, 150
PER_EVENT = 30
"""Rows that a view may make of an event of the key: more than the 20 moves of an order, and far fewer than MANY."""
BEFORE = ("order_placed", "search_made", "customer_moved", "search_saved", "product_listed")
BEHIND = ("payment_captured", "payment_failed", "product_clicked")
BY_KEY = [view for view in VIEWS.values() if not isinstance(view.law, Additive)]
JOINED = ("order_payments", "open_orders_by_region", "click_through", "clicks_with_customer", "viewed_together")
OF_PAIRS = {
    "search_matches": "a listing is held against all saved searches, so its rows are pairs; of one search, one is in force"
}


def hot(number: int) -> Iterator[dict[str, Any]]:
    """So many of each kind of event, all of one key, within an hour: first orders and searches, then payments and clicks."""
    of_all: dict[str, Any] = {"order_id": "o-1", "customer_id": "c-1", "session_id": "v-1", "card_id": "card-1"}
    of_all |= {
        "items": [],
        "query": "lamp",
        "product_ids": ["p-01", "p-02", "p-03"],
        "name": "Ann",
        "title": "Red Lamp",
    }
    for place in range(2 * number):
        own = of_all | {"total_cents": place, "amount_cents": place, "region": f"r-{place}", "words": "lamp"}
        own |= {"payment_id": f"pay-{place:04}", "product_id": f"p-{place % 40:02}", "ms": NOON_MS + 1000 * place}
        for kind in BEFORE if place < number else BEHIND:
            event = own | {"event_type": kind, "event_id": f"{kind}-{place:04}"}
            if kind in ("customer_moved", "search_saved"):
                event["ms"] += 500
            yield event | ({"search_id": "s-1"} if kind == "search_saved" else {})


@pytest.fixture(scope="module")
def many(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(arrow(list(hot(MANY))), KNOWN).coalesce(1)


@pytest.mark.parametrize("view", BY_KEY, ids=lambda view: view.name)
def test_a_hot_key_makes_no_pairs(many: DataFrame, view: View) -> None:
    found = answered(view, many)
    if view.name not in OF_PAIRS:
        assert slow(found) == []
    assert most_rows(found) < PER_EVENT * MANY


def test_a_search_meets_no_listing_without_its_longest_word(spark: SparkSession) -> None:
    shared = {"customer_id": "c-1", "title": "Red Lamp"}
    events = [
        shared | {"ms": NOON_MS + place, "event_id": f"{kind}-{place}", "event_type": kind} | own
        for place in range(SOME)
        for kind, own in (
            ("search_saved", {"search_id": f"s-{place}", "words": "red chair" if place else "LAMP red"}),
            ("product_listed", {"product_id": f"p-{place}"}),
        )
    ]
    found = answered(VIEWS["search_matches"], spark.createDataFrame(arrow(events), KNOWN).coalesce(1))
    assert {row["search_id"] for row in found.collect()} == {"s-0"}
    assert found.count() == SOME
    assert most_rows(found) < PER_EVENT * SOME


def test_pairs_and_slow_windows_are_seen(many: DataFrame) -> None:
    orders = many.where(F.col("topic") == "orders").select("orders.order_id", F.col("event_time").alias("ordered_at"))
    paid = many.where(F.col("event_type") == "payment_captured").select(
        "payments.order_id", F.col("event_time").alias("paid_at")
    )
    pairs = orders.join(paid, "order_id").where("paid_at >= ordered_at")
    assert [one.split(" looks")[0] for one in slow(pairs)] in (["SortMergeJoinExec"], ["BroadcastHashJoinExec"])
    assert most_rows(pairs) == MANY**2
    for frame in (
        "RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
        "ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING",
    ):
        window = f"min(paid_at) OVER (PARTITION BY order_id ORDER BY paid_at {frame})"
        assert len(slow(paid.select(F.expr(window)))) == 1


@pytest.mark.parametrize("name", JOINED)
def test_a_hot_key_has_the_rows_of_the_plain_definition(spark: SparkSession, name: str) -> None:
    view, flat = VIEWS[name], list(hot(SOME))
    found = answered(view, spark.createDataFrame(arrow(flat), KNOWN)).drop(CLOSES).toArrow()
    (rows,) = rows_of(view, found).values() or ([],)
    assert rows == sorted(([row[one.name] for one in view.columns] for row in ORACLE[name](flat)), key=repr)


def test_what_a_hot_key_may_have_is_bounded(spark: SparkSession) -> None:
    events = spark.createDataFrame(arrow(list(hot(SOME))), KNOWN)
    clicks = answered(VIEWS["click_through"], events).agg(F.max("clicks")).first()
    stays = answered(VIEWS["open_orders_by_region"], events).groupBy("event_id").count().agg(F.max("count")).first()
    assert clicks == (sum(place % 40 in (1, 2, 3) for place in range(SOME, SOME + MOST_CLICKS)),)
    assert stays == (MOST_MOVES + 1,)
