"""The archive's driver goes on with the night, and leaves what fails to the task whose work it is."""

from contextlib import nullcontext
from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest

from batch.days.day import Day
from batch.days.day_plan import DayPlan
from batch.night import rest_of_night as ahead
from infra.failures import PermanentFailure, TransientFailure

NIGHT = Day(date(2026, 1, 31))
DAYS = [Day(date(2026, 1, number)) for number in (29, 30, 31)]
PLANS = [DayPlan(day, "run", 1, {}, {}) for day in DAYS]


@pytest.fixture
def night(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A night of three days, whose steps fail as `fails` says."""
    own = SimpleNamespace(fails={}, drawn=0, brought=[], asked=[])

    def plans(session: Any, night: Day, versions: Any, full: bool, only: Day) -> list[DayPlan]:
        own.asked.append((str(night), str(only)))
        return [DayPlan(only, "run", 1, {}, {})]

    def advance(session: Any, todo: list[DayPlan], step: Any, anew: bool) -> list[Any]:
        day = todo[0].day
        if day in own.fails:
            raise own.fails[day]
        own.brought.append((str(day), anew))
        return []

    def draw(*of: Any) -> None:
        if "curve" in own.fails:
            raise own.fails["curve"]
        own.drawn += 1

    monkeypatch.setattr(ahead, "lease", nullcontext)
    monkeypatch.setattr(ahead, "plans", plans)
    monkeypatch.setattr(ahead, "advance_all", advance)
    monkeypatch.setattr(ahead, "publish", lambda session: 0)
    monkeypatch.setattr(ahead, "draw", draw)
    monkeypatch.setattr(ahead, "night_tables", list)
    monkeypatch.setattr(ahead, "tidy_if_due", lambda tables: False)
    return own


def found(full: bool = False, until: Day = NIGHT) -> dict[str, Any]:
    return ahead.ahead(None, NIGHT, {}, full, PLANS, until)  # type: ignore[arg-type]


def test_every_day_is_done_and_the_curve_drawn(night: SimpleNamespace) -> None:
    assert found(full=True) == {"done": {str(day): [] for day in DAYS}, "drawn": True}
    assert night.brought == [(str(day), True) for day in DAYS]


@pytest.mark.parametrize("failure", [PermanentFailure("unexplained"), TransientFailure("away")], ids=["65", "1"])
def test_a_day_that_fails_is_left_to_its_task_with_the_curve(night: SimpleNamespace, failure: Exception) -> None:
    night.fails[DAYS[1]] = failure
    assert found() == {"done": {"2026-01-29": [], "2026-01-31": []}, "drawn": False}
    assert night.drawn == 0


def test_a_curve_that_fails_is_left_to_its_task(night: SimpleNamespace) -> None:
    night.fails["curve"] = PermanentFailure("not settled")
    assert found()["drawn"] is False


def test_a_fault_that_nobody_foresaw_ends_the_driver(night: SimpleNamespace) -> None:
    night.fails[DAYS[0]] = RuntimeError("out of memory")
    with pytest.raises(RuntimeError):
        found()


def test_no_day_is_begun_when_the_time_is_over(night: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "SECONDS", -1)
    assert found() == {"done": {}, "drawn": False}


def test_the_nights_of_a_backfill_are_done_each_as_its_own(night: SimpleNamespace) -> None:
    did = found(until=Day(date(2026, 2, 2)))
    assert list(did["done"]) == [*(str(day) for day in DAYS), "2026-02-01", "2026-02-02"]
    earlier = [("2026-01-31", str(day)) for day in DAYS]
    assert night.asked == [*earlier, ("2026-02-01", "2026-02-01"), ("2026-02-02", "2026-02-02")]


def test_a_later_day_that_this_night_plans_as_well_is_done_once(night: SimpleNamespace) -> None:
    did = ahead.ahead(None, DAYS[1], {}, False, PLANS, DAYS[2])  # type: ignore[arg-type]
    assert list(did["done"]) == [str(day) for day in DAYS]
    assert len(night.brought) == len(DAYS)
