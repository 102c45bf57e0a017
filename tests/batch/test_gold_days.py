"""Which days gold need not build again.

Data flow: builds of gold, settlements -> days that are as they were
Run: pytest tests/batch/test_gold_days.py
"""

from datetime import UTC, datetime, timedelta

from batch.gold import CLOCKS, _before

BEGAN = datetime(2026, 2, 3, 3, tzinfo=UTC)


def test_a_day_settled_well_before_the_last_build_is_unchanged() -> None:
    settled = [
        ("2026-01-31", BEGAN - timedelta(days=2)),
        ("2026-01-30", BEGAN - CLOCKS - timedelta(seconds=1)),
        ("2026-02-01", BEGAN - CLOCKS),
        ("2026-01-29", BEGAN + timedelta(minutes=1)),
    ]
    assert _before(BEGAN, settled) == ["2026-01-30", "2026-01-31"]


def test_without_a_build_that_ended_well_every_day_may_have_changed() -> None:
    assert _before(None, [("2026-01-31", BEGAN)]) == []
