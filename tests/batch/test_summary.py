"""The summary of a night as people read it: every cause that its table knows, wherever its column is."""

from datetime import date
from typing import Any

import pyarrow as pa
import pytest

from batch.reconciliation.causes import STEPS
from batch.report.summary import findings
from infra.settings import settings

DAY = date(2026, 1, 31)
ROW: dict[str, Any] = {
    "day": DAY, "view": "order_totals", "measure": "orders", "speed": 7, "late": 2, "truth": 9,
    "unexplained": 0, "rows_differing": 1, "rows_unexplained": 0, "run": "one",
}  # fmt: skip


def test_a_finding_names_every_cause_that_moved_something(monkeypatch: pytest.MonkeyPatch) -> None:
    none = {cause.value: 0 for cause in STEPS}
    one, other = none | ROW, none | ROW | {"view": "order_payments", "truth": 12, "gap": 3}
    monkeypatch.setattr("batch.report.summary.read", lambda *_: pa.Table.from_pylist([one, other]))
    first, second = findings(settings(), DAY, DAY)
    assert (first.view, first.why) == ("order_payments", "late +2, gap +3")
    assert (second.causes, second.why) == (none | {"late": 2}, "late +2")
    assert first.speed + sum(first.causes.values()) == first.truth
