"""Gold's states of orders are those that the fold of an order's events gives, row for row.

Data flow: random histories of orders -> fct_order_states, and batch.shop.order_history -> compared
Run: pytest tests/dbt/test_order_states.py
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from itertools import groupby
from random import Random
from typing import Any

import pytest
from offline_gold import Compiled, Gold
from pyspark.sql import SparkSession
from rows_of_gold import DAY, NEXT, NOON, covered, utc

from batch.shop.order_history import history

pytestmark = pytest.mark.slow

ORDERS, MOST = 400, 12
TEST = "an_orders_states_follow_one_another"
ORDER = ("order_placed", "items_added", "order_shipped", "order_cancelled")
KINDS = (*ORDER, "payment_captured", "payment_failed", "payment_refunded")
COLUMNS = ("status", "customer_id", "lines", "total_cents", "paid_cents", "failed_payments", "reason", "is_shipped")


def event(rng: Random, order: str, number: int, kind: str, minutes: float) -> dict[str, Any]:
    """An event as truth has it. Minutes and arrivals are few, so that many events share them."""
    topic = "orders" if kind in ORDER else "payments"
    own: dict[str, Any] = {"order_id": order}
    if kind in ("order_placed", "items_added"):
        item = {"product_id": "p", "quantity": 1, "unit_price_cents": 300}
        own |= {"customer_id": f"c-{rng.randrange(3)}", "items": [item] * rng.randrange(1, 4), "total_cents": 300}
    elif kind == "order_cancelled":
        own |= {"customer_id": f"c-{rng.randrange(3)}", "reason": rng.choice(("", "too slow", "ordered twice"))}
    elif kind == "order_shipped":
        own |= {"customer_id": f"c-{rng.randrange(3)}"}
    else:
        own |= {"payment_id": f"pay-{number}", "card_id": "card-1", "amount_cents": rng.choice((100, 200, 300))}
    at = NOON + timedelta(minutes=minutes)
    place = {"partition": 0, "offset": number, "arrival": NOON + timedelta(minutes=rng.randrange(3))}
    kept = {"topic": topic, "event_id": f"{order}-{number}", "event_type": kind, "event_time": at, "day": at.date()}
    return kept | place | {"late_by_ms": 0, "orders": None, "payments": None} | {topic: own}


def histories(rng: Random) -> list[dict[str, Any]]:
    """Orders with any events in any order, over two days; one order has every kind twice."""
    told = []
    for number in range(ORDERS):
        kinds = [rng.choice(KINDS) for _ in range(rng.randrange(1, MOST))]
        kinds += [*KINDS, *KINDS] if number % 7 == 0 else []
        offsets = rng.sample(range(100), len(kinds))
        told += [
            event(rng, f"o-{number}", offset, kind, rng.choice((0, 1, 2, 5, 13 * 60)))
            for offset, kind in zip(offsets, kinds, strict=True)
        ]
    return told


def folded(events: list[dict[str, Any]]) -> dict[tuple[str, int], tuple[Any, ...]]:
    """What the fold in Python gives: per order and change, from when to when, the state, and the event."""
    found = {}
    by_order = sorted(events, key=order_of)
    for order, own in groupby(by_order, order_of):
        lines = [line for line in history(list(own)) if line.changes]
        ends = [line.happened for line in lines[1:]]
        # An order of which nothing but what changes nothing is known has no state.
        for number, (line, end) in enumerate(zip(lines, [*ends, None], strict=bool(lines)), 1):
            state = tuple(getattr(line.state, name) for name in COLUMNS)
            found[order, number] = (line.happened, end, *state, line.event_id, line.event_type)
    return found


def order_of(event: Mapping[str, Any]) -> str:
    return str(event[event["topic"]]["order_id"])


def served(gold: Gold) -> dict[tuple[str, int], tuple[Any, ...]]:
    rows = gold.rows("fct_order_states")
    assert all(row["is_current"] == (row["valid_to"] is None) for row in rows)
    assert all(row["day"] == utc(row["valid_from"]).date() for row in rows)
    return {
        (row["order_id"], row["change_number"]): (
            utc(row["valid_from"]),
            row["valid_to"] and utc(row["valid_to"]),
            *(row[name] for name in (*COLUMNS, "event_id", "event_type")),
        )
        for row in rows
    }


@pytest.fixture(scope="module")
def told() -> list[dict[str, Any]]:
    return histories(Random(1))


@pytest.fixture(scope="module")
def gold_of_orders(spark: SparkSession, nodes: Sequence[Compiled], told: list[dict[str, Any]]) -> Gold:
    """Gold over two settled days. The states are a view: they follow what is put later."""
    gold = Gold(spark, nodes)
    gold.put("truth.events", told)
    gold.put("reconciliation.settlements", [covered(1), covered(1, NEXT)])
    gold.build()
    return gold


def test_the_states_in_gold_are_the_folds(gold_of_orders: Gold, told: list[dict[str, Any]]) -> None:
    found = served(gold_of_orders)
    assert found == folded(told)
    assert {row[2] for row in found.values()} == {"unknown", "placed", "paid", "shipped", "cancelled", "refunded"}
    assert len(found) < len(told), "some events change nothing"
    assert gold_of_orders.failing(TEST) == set()


@pytest.mark.parametrize(
    "change",
    [
        {"change_number": "1"},
        {"change_number": "change_number + 1"},
        {"valid_to": "valid_from"},
        {"is_current": "false"},
        {"status": "nullif(status, 'paid')"},
    ],
)
def test_states_that_do_not_follow_one_another_are_found(gold_of_orders: Gold, change: dict[str, str]) -> None:
    with gold_of_orders.instead("fct_order_states", **change):
        assert gold_of_orders.failing(TEST) == {TEST}


def test_only_events_of_settled_days_count(gold_of_orders: Gold, told: list[dict[str, Any]]) -> None:
    gold_of_orders.put("reconciliation.settlements", [covered(1)])
    assert served(gold_of_orders) == folded([event for event in told if event["day"] == DAY])
    gold_of_orders.put("reconciliation.settlements", [covered(1), covered(1, NEXT)])
