"""Which days gold need not build again, and what a build that is refused leaves behind.

Data flow: builds of gold, settlements -> days that are as they were
Run: pytest tests/batch/test_gold_days.py
"""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from batch.gold import CLOCKS, SOURCE, _before, kept
from infra.failures import PermanentFailure, TransientFailure
from infra.problems import of_source
from infra.settings import Settings

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


def test_a_refused_build_is_a_problem_until_a_good_one(tmp_path: Path) -> None:
    s = Settings(home=tmp_path)
    with pytest.raises(PermanentFailure), kept(s):
        raise PermanentFailure("dbt test failed: keys_of_gold")
    (found,) = of_source(s, SOURCE)
    assert (found.id, "keys_of_gold" in found.what) == ("gold.build", True)
    # Neither good nor bad: it will be tried again.
    with pytest.raises(TransientFailure), kept(s):
        raise TransientFailure("the gateway went away")
    assert of_source(s, SOURCE) == [found]
    with kept(s):
        pass
    assert of_source(s, SOURCE) == []
