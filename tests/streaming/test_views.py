"""What each view says of given events, up to the millisecond at its borders."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fewer import FEWER, few_views
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from infra.lake.columns import plain
from streaming.shop.views.order_payments import ORDER_PAYMENTS
from streaming.shop.views.order_totals import ORDER_TOTALS
from streaming.tables.silver import EVENT, topic_events
from streaming.views import VIEWS
from streaming.views.law import APART
from streaming.views.view import View

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)


def order(
    at: datetime, order_id: str = "o-1", cents: int = 100, quantities: tuple[int, ...] = (1,), **more: Any
) -> dict[str, Any]:
    items = [{"product_id": "p-1", "quantity": quantity, "unit_price_cents": 1} for quantity in quantities]
    own = {"order_id": order_id, "customer_id": "c-1", "items": items, "total_cents": cents}
    return {"topic": "orders", "event_type": "order_placed", "event_time": at, "orders": own} | more


def payment(
    at: datetime, payment_id: str, order_id: str = "o-1", kind: str = "payment_captured", cents: int = 100
) -> dict[str, Any]:
    own = {"payment_id": payment_id, "order_id": order_id, "card_id": "card-1", "amount_cents": cents}
    return {"topic": "payments", "event_type": kind, "event_time": at, "payments": own}


def candidates(spark: SparkSession, view: View, events: list[dict[str, Any]]) -> DataFrame:
    """What the view makes of events, before it prefers one row per key."""
    blank: Mapping[str, None] = dict.fromkeys(EVENT.fieldNames())
    frame: DataFrame = spark.createDataFrame([{**blank, **event} for event in events], EVENT)
    return view.rows({topic: topic_events(frame, topic) for topic in view.inputs})


def answer(spark: SparkSession, view: View, events: list[dict[str, Any]]) -> list[Row]:
    """The view's rows in the order of its key."""
    return view.answer(candidates(spark, view, events)).orderBy(*view.key).collect()


def test_a_minute_is_half_open_and_what_is_added_counts(spark: SparkSession) -> None:
    rows = answer(
        spark,
        ORDER_TOTALS,
        [
            order(NOON, cents=100, quantities=(1, 2)),
            order(NOON + timedelta(minutes=1) - MILLISECOND, "o-2", cents=50),
            order(NOON + timedelta(minutes=1), "o-3", cents=7),
            order(NOON, event_type="order_cancelled"),
            order(NOON - MILLISECOND, "o-4", cents=3),
            order(NOON + timedelta(minutes=2), "o-4", cents=9, quantities=(1, 1), event_type="items_added"),
        ],
    )
    found = [(row["window_start"].minute, row["orders"], row["items"], row["revenue_cents"]) for row in rows]
    assert found == [(59, 1, 1, 3), (0, 2, 4, 150), (1, 1, 1, 7), (2, 0, 2, 9)]
    assert {row["window_end"] - row["window_start"] for row in rows} == {timedelta(minutes=1)}


def test_orders_of_equal_value_count_each(spark: SparkSession) -> None:
    (row,) = answer(spark, ORDER_TOTALS, [order(NOON, order_id, cents=199) for order_id in ("o-1", "o-2", "o-3")])
    assert (row["orders"], row["items"], row["revenue_cents"]) == (3, 3, 597)


def test_the_last_minute_of_a_day_is_that_days(spark: SparkSession) -> None:
    midnight = datetime(2026, 2, 1, tzinfo=UTC)
    rows = answer(spark, ORDER_TOTALS, [order(midnight - MILLISECOND), order(midnight, "o-2")])
    assert [row["day"].day for row in rows] == [31, 1]


HOUR, WITHIN = timedelta(hours=1), timedelta(days=3)
# name -> payments (delay after the order, id, kind), status, payment_id
PAID = {
    "o-01 never": ([], "unpaid", None),
    "o-02 at once": ([(timedelta(0), "p1", "payment_captured")], "paid", "p1"),
    "o-03 after exactly three days": ([(WITHIN, "p2", "payment_captured")], "paid", "p2"),
    "o-04 a millisecond too late": ([(WITHIN + MILLISECOND, "p3", "payment_captured")], "unpaid", None),
    "o-05 before the order": ([(-MILLISECOND, "p4", "payment_captured")], "unpaid", None),
    "o-06 only failed and refunded": (
        [(MILLISECOND, "p5", "payment_failed"), (MILLISECOND, "p6", "payment_refunded")], "unpaid", None,
    ),
    "o-07 twice: the first counts": (
        [(HOUR / 2, "p8", "payment_captured"), (HOUR / 4, "p9", "payment_captured")], "paid", "p9",
    ),
    "o-08 twice at once: the smaller id": (
        [(HOUR / 2, "p11", "payment_captured"), (HOUR / 2, "p10", "payment_captured")], "paid", "p10",
    ),
    "o-09 failed, then captured": (
        [(MILLISECOND, "p12", "payment_failed"), (HOUR / 2, "p13", "payment_captured")], "paid", "p13",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def orders(spark: SparkSession) -> dict[str, Row]:
    """Every case of PAID by its name, and a payment for an order that nobody placed."""
    events = [payment(NOON, "p99", "o-unknown")]
    for name, (payments, _, _) in PAID.items():
        events.append(order(NOON, name))
        events += [payment(NOON + delay, payment_id, name, kind) for delay, payment_id, kind in payments]
    return {row["order_id"]: row for row in answer(spark, ORDER_PAYMENTS, events)}


@pytest.mark.parametrize("name", PAID)
def test_an_order_has_its_first_payment_within_three_days(orders: dict[str, Row], name: str) -> None:
    assert (orders[name]["payment_status"], orders[name]["payment_id"]) == PAID[name][1:]


def test_every_placed_order_is_one_row_and_nothing_else_is(orders: dict[str, Row]) -> None:
    assert set(orders) == set(PAID)
    assert {(row["orders"], row["paid_orders"]) for row in orders.values()} == {(1, 1), (1, 0)}


def test_a_payment_counts_to_the_cent(spark: SparkSession) -> None:
    (row,) = answer(spark, ORDER_PAYMENTS, [order(NOON, cents=250), payment(NOON, "p-1", cents=199)])
    assert (row["total_cents"], row["amount_cents"]) == (250, 199)


def test_of_an_order_placed_twice_the_paid_one_is_its_row(spark: SparkSession) -> None:
    events = [order(NOON), payment(NOON + MILLISECOND, "p-1"), order(NOON + HOUR)]
    (row,) = answer(spark, ORDER_PAYMENTS, events)
    assert (row["payment_id"], row["ordered_at"].astimezone(UTC)) == ("p-1", NOON)


def test_a_row_closes_when_no_event_can_change_it(spark: SparkSession) -> None:
    for view, after in ((ORDER_TOTALS, timedelta(minutes=1)), (ORDER_PAYMENTS, WITHIN)):
        (row,) = (
            candidates(spark, view, [order(NOON)]).select(F.unix_millis(view.closed_at()).alias("closes")).collect()
        )
        assert row["closes"] == (NOON + after).timestamp() * 1000, view.name


@pytest.mark.parametrize("view", VIEWS.values(), ids=lambda view: view.name)
def test_a_view_describes_its_own_rows(spark: SparkSession, view: View) -> None:
    events = spark.createDataFrame([], EVENT)
    rows = view.rows({topic: topic_events(events, topic) for topic in view.inputs})
    declared = [(field.name, field.dataType) for field in view.schema]
    assert [(field.name, plain(field.dataType)) for field in rows.schema] == declared
    assert {rows.schema[measure].dataType.simpleString() for measure in view.measures} == {"bigint"}
    assert rows.select(view.closed_at().alias("closes")).schema["closes"].dataType.simpleString() == "timestamp"
    assert rows.where(F.lit(False)).count() == 0


def test_the_few_views_of_other_tests_are_one_of_each_law() -> None:
    every = list(VIEWS)
    with few_views():
        assert set(VIEWS) == set(FEWER)
    assert list(VIEWS) == every
    assert sorted(type(VIEWS[name].law).__name__ for name in FEWER) == sorted(
        {type(view.law).__name__ for view in VIEWS.values()}
    )


def test_a_view_that_loses_the_column_apart_is_named(spark: SparkSession) -> None:
    lost = replace(ORDER_TOTALS, define=lambda events: ORDER_TOTALS.define(events).drop(APART))
    with pytest.raises(ValueError, match="view order_totals: `define` loses the column APART"):
        candidates(spark, lost, [order(NOON, "o-1")])
