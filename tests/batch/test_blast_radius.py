"""The blast radius counts what another version had said otherwise: its rows, its sums, and nothing that other causes moved."""

import json
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from batch.report import blast_radius as module
from batch.report.blast_radius import Radius, redefined
from infra.settings import settings

DAY = date(2026, 1, 31)
BEFORE, NOW = (datetime(2026, 2, day, 2, tzinfo=UTC) for day in (1, 2))


def values(revenue: int | None) -> str | None:
    return None if revenue is None else json.dumps({"window_end": "12:01", "orders": 1, "revenue_cents": revenue})


def correction(key: str, cause: str, old: int | None, new: int | None, **more: Any) -> dict[str, Any]:
    row = {"day": DAY, "view": "order_totals", "key": key, "cause": cause, "run": "one", "corrected_at": NOW}
    return row | {"old": values(old), "new": values(new)} | more


TABLES: dict[str, list[dict[str, Any]]] = {
    "reconciliation/corrections": [
        correction("wrong", "definition", 100, 150),
        # 30 of it came late: the present version says 150 of what the other one had said 100 of.
        correction("wrong, and late", "definition+late", 100, 180),
        correction("made up", "definition", 7, None),
        correction("late", "late", 10, 20),
        correction("wrong", "definition", 1, 2, day=DAY + timedelta(days=1)),
        correction("wrong", "definition", 90, 100, corrected_at=BEFORE, run="earlier"),
    ],
    "reconciliation/differences": [
        {"day": DAY, "view": "order_totals", "key": "wrong, and late", "speed": values(150), "run": "one"},
        {"day": DAY, "view": "order_totals", "key": "late", "speed": values(10), "run": "one"},
    ],
    "reconciliation/summary": [
        {"day": DAY, "view": "order_totals", "measure": measure} for measure in ("orders", "revenue_cents")
    ],
}


@pytest.fixture(autouse=True)
def tables(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(_: object, table: str, columns: list[str], where: ds.Expression) -> pa.Table:
        return pa.Table.from_pylist(TABLES[table]).filter(where).select(columns)

    monkeypatch.setattr(module, "read", read)
    monkeypatch.setattr(module, "exists", lambda *_: True)


def test_what_moved_is_the_definitions_share_alone() -> None:
    (found,) = redefined(settings(), DAY, DAY, since=NOW)
    assert found == Radius(DAY, "order_totals", 3, {"orders": -1, "revenue_cents": 50 + 50 - 7})
    assert str(found).startswith("3 rows of order_totals on 2026-01-31")
    assert str(found).endswith("moved orders -1, revenue_cents +93")


def test_of_all_time_it_counts_a_row_once_and_its_moves_together() -> None:
    (found,) = redefined(settings(), DAY, DAY)
    assert (found.rows, found.moved["revenue_cents"]) == (3, 103)


def test_before_the_first_night_nothing_has_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "exists", lambda *_: False)
    assert redefined(settings(), DAY, DAY) == []
