"""A night that fails leaves a problem, and the next good one mends it."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from batch.days.day import Day
from batch.night.failed_nights import checked, decided, over, waits
from infra.failures import PermanentFailure, TransientFailure
from infra.problems import Problem, keep, problems
from infra.settings import load, settings

FIRST, SECOND = Day(date(2026, 1, 30)), Day(date(2026, 1, 31))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBREAK_HOME", str(tmp_path))


def known() -> list[str]:
    return [one.id for one in problems(settings())]


def fail(step: str, failure: Exception, day: Day | None = None) -> None:
    with pytest.raises(type(failure)), checked(step, FIRST, day):
        raise failure


def test_a_failed_night_is_a_problem_until_a_good_one() -> None:
    assert load().home == settings().home
    fail("archive", PermanentFailure("8 records are gone"))
    fail("reconcile", PermanentFailure("3 differences have no cause"), FIRST)
    assert known() == ["night.archive", "night.reconcile/2026-01-30"]
    gone = problems(settings())[0]
    assert "8 records are gone" in gone.what
    assert "daybreak night --date 2026-01-30" in gone.mend
    # The log is one, whichever night has looked; a day's differences are its own.
    with checked("archive", SECOND), checked("reconcile", SECOND, SECOND):
        pass
    assert known() == ["night.reconcile/2026-01-30"]
    with checked("reconcile", FIRST, FIRST):
        pass
    assert known() == []


def test_what_a_step_tells_itself_is_not_told_twice() -> None:
    fail("conservation", PermanentFailure("the broker's answer makes no sense"))
    assert known() == ["night.conservation"]
    keep(
        settings(), "conservation", [Problem("conservation.missing/orders-0", "8 offsets are missing", "find out why")]
    )
    with pytest.raises(PermanentFailure), checked("conservation", FIRST, source="conservation"):
        raise PermanentFailure("8 offsets are missing")
    assert known() == ["conservation.missing/orders-0"]


def test_a_service_that_is_down_neither_makes_nor_mends_a_problem() -> None:
    fail("archive", TransientFailure("Kafka does not answer"))
    assert known() == []
    fail("archive", PermanentFailure("8 records are gone"))
    fail("archive", TransientFailure("Kafka does not answer"))
    assert known() == ["night.archive"]


def test_a_day_that_waits_for_a_person_is_told() -> None:
    waits(FIRST, "it would be corrected by 90 % of the truth")
    assert known() == ["night.approval/2026-01-30"]
    assert "daybreak decide --date 2026-01-30" in problems(settings())[0].mend
    decided(SECOND)
    assert known() == ["night.approval/2026-01-30"]
    decided(FIRST)
    assert known() == []


def test_what_was_settled_since_is_over() -> None:
    waits(FIRST, "it would be corrected by 90 % of the truth")
    fail("archive", PermanentFailure("8 records are gone"))
    now = datetime.now(UTC)
    over({FIRST.date: now - timedelta(days=1), SECOND.date: now + timedelta(1)})
    assert known() == ["night.approval/2026-01-30", "night.archive"], "the settlement that is to be replaced"
    over({FIRST.date: now + timedelta(minutes=1)})
    assert known() == ["night.archive"]
