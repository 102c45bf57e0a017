"""Which events a row may need: by the law of its view, to the millisecond."""

from datetime import timedelta
from typing import Any

import pytest
from explained import NOON, event, of_table, second

from batch.explain.needed import needed
from infra.lake.rows import arrow
from streaming.shop.views.order_payments import ORDER_PAYMENTS
from streaming.shop.views.order_totals import ORDER_TOTALS
from streaming.tables.silver import SILVER
from streaming.views import VIEWS


@pytest.mark.parametrize("view", VIEWS.values(), ids=lambda view: view.name)
def test_every_view_says_which_events_a_row_may_need(view: Any) -> None:
    """Of any row: with its time, and a text or a number in all other columns."""
    kinds = {one.name: one.dataType.simpleString() for one in view.columns}
    one = {name: NOON if kind == "timestamp" else "x" if kind == "string" else 1 for name, kind in kinds.items()}
    found = needed(view, [one])
    assert found.says.startswith(f"of {view.streams[0]}")
    assert all(topic in found.says for topic in view.inputs)
    assert arrow_rows([]).filter(found.where.rows).num_rows == 0, "silver has its columns"


def test_the_time_of_an_event_decides_at_the_edges() -> None:
    """Half-open for sums and windows; a join takes what is exactly at the end of its reach."""
    hour = ORDER_PAYMENTS.reach
    for view, values, inside, outside in (
        (ORDER_TOTALS, {"window_start": NOON}, second(59.999), second(60)),
        (ORDER_PAYMENTS, {"order_id": "o-1", "ordered_at": NOON}, NOON + hour, NOON + hour + timedelta(milliseconds=1)),
        (VIEWS["rolling_order_rate"], {"ordered_at": NOON}, NOON, second(0.001)),
    ):
        rows = [event(n, at, 0) | {"orders": {"order_id": "o-1"}} for n, at in enumerate((inside, outside))]
        kept = arrow_rows(rows).filter(needed(view, [values]).where.rows)
        assert kept["event_time"].to_pylist() == [inside], view.name


def arrow_rows(rows: list[dict[str, Any]]) -> Any:
    return arrow([of_table(one, SILVER) for one in rows], SILVER.schema)
