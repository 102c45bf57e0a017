"""Gold prefers among several candidates of a key as the views do.

Data flow: rows of orders placed twice -> gold
Run: pytest tests/dbt/test_preferred.py
"""

from datetime import timedelta
from typing import Any

import pytest
from offline_gold import Gold
from rows_of_gold import DAY, NOON, OUR_TESTS, at, covered, progress, said, state


def order(number: int, customer: str, cents: int) -> dict[str, Any]:
    """A placed order as silver has it; all have one id and one time."""
    return {
        "topic": "orders",
        "event_id": f"e-{number}",
        "event_type": "order_placed",
        "event_time": NOON,
        "orders": {"order_id": "o", "customer_id": customer, "items": [], "total_cents": cents},
        "arrival": at(number),
        "late_by_ms": 0,
        "day": DAY,
    }


def unpaid(customer: str, cents: int) -> dict[str, Any]:
    """The same as the view has it."""
    return {
        "order_id": "o",
        "customer_id": customer,
        "ordered_at": NOON,
        "total_cents": cents,
        "payment_status": "unpaid",
        "orders": 1,
        "paid_orders": 0,
        "day": DAY,
    }


@pytest.mark.slow
def test_an_order_placed_twice_at_one_instant_is_the_views(gold: Gold) -> None:
    gold.put("silver.events", [order(0, "a", 300), order(1, "b", 200), order(2, "c", 200)])
    gold.put("speed.progress", [progress(0, at(1)), progress(1, at(2))])
    # The stream changed its mind once; what it said last is not what its view prefers.
    gold.put("speed.order_payments", [said(unpaid("b", 200), 0, at(1)), said(unpaid("a", 300), 1, at(2))])
    gold.build()
    (row,) = gold.rows("fct_orders")
    assert (row["customer_id"], row["total_cents"], row["payment_status"]) == ("b", 200, "open")
    assert gold.failing(*OUR_TESTS) == set()


@pytest.mark.slow
def test_an_order_is_open_until_its_hour_is_over(gold: Gold) -> None:
    gold.put("silver.events", [order(0, "a", 300)])
    gold.put("speed.progress", [progress(0, at(1)), progress(1, at(90))])
    gold.put("speed.order_payments", [said(unpaid("a", 300), 0, at(1))])
    for more, told in (([], ("open", False)), ([said(unpaid("a", 300), 1, at(90), is_final=True)], ("unpaid", True))):
        gold.put("speed.order_payments", [said(unpaid("a", 300), 0, at(1)), *more])
        gold.build()
        (row,) = gold.rows("fct_orders")
        assert (row["payment_status"], row["is_final"], row["status"]) == (*told, "provisional")
        assert gold.failing(*OUR_TESTS) == set()
    assert [version["payment_status"] for version in gold.rows("fct_order_payments_history")] == ["open", "unpaid"]


@pytest.mark.slow
@pytest.mark.parametrize(("days", "told"), [(3, ("open", False)), (4, ("unpaid", True))])
def test_on_a_settled_day_an_order_is_open_until_it_closes(gold: Gold, days: int, told: tuple[str, bool]) -> None:
    gold.put("speed.progress", [progress(0, at(1))])
    gold.put("speed.order_payments", [said(unpaid("a", 300), 0, at(1))])
    gold.put("truth.events", [order(0, "a", 300)])
    gold.put("truth.order_payments", [unpaid("a", 300)])
    gold.put("reconciliation.settlements", [covered(1) | {"horizon": NOON + timedelta(days=days)}])
    gold.put("reconciliation.state", [state(1)])
    gold.build()
    for model in ("fct_orders", "fct_order_payments"):
        (row,) = gold.rows(model)
        assert (row["payment_status"], row["is_final"], row["status"]) == (*told, "settled")
    assert gold.failing(*OUR_TESTS) == set()
