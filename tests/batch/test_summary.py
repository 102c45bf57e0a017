"""The summary of a night as people read it: every cause that its table knows, wherever its column is."""

from datetime import date
from typing import Any

import pyarrow as pa
import pytest

from batch.report.summary import findings
from infra.settings import settings

DAY = date(2026, 1, 31)
ROW: dict[str, Any] = {
    "day": DAY, "view": "order_totals", "measure": "orders", "speed": 7, "late": 2, "truth": 9,
    "unexplained": 0, "rows_differing": 1, "rows_unexplained": 0, "run": "one",
}  # fmt: skip


def test_a_cause_that_is_younger_than_the_table_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    older, younger = ROW | {"gap": None}, ROW | {"view": "order_payments", "truth": 12, "gap": 3}
    monkeypatch.setattr("batch.report.summary.read", lambda *_: pa.Table.from_pylist([older, younger]))
    first, second = findings(settings(), DAY, DAY)
    assert (first.view, first.causes, first.why) == (
        "order_payments",
        {"late": 2, "gap": 3},
        "late +2, gap +3",
    )
    assert (second.causes, second.why) == ({"late": 2, "gap": 0}, "late +2")
    assert first.said + sum(first.causes.values()) == first.truth
