"""A consumer's pace: so many orders per second, and no debt from when it had nothing to do."""

import time

import pytest

from infra.lab.processes.pace import CATCH_UP_SECONDS, Pace


class Clock:
    """A clock that goes on only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 100.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    own = Clock()
    monkeypatch.setattr(time, "monotonic", lambda: own.now)
    monkeypatch.setattr(time, "sleep", own.sleep)
    return own


def test_it_takes_its_time_for_each_order(clock: Clock) -> None:
    pace = Pace(1000.0)
    for _ in range(500):
        pace.keep()
    assert clock.now - 100.0 == pytest.approx(0.5 - CATCH_UP_SECONDS)


def test_what_the_transport_takes_is_made_up_for(clock: Clock) -> None:
    pace = Pace(1000.0)
    for _ in range(500):
        clock.now += 0.0004
        pace.keep()
    assert clock.now - 100.0 == pytest.approx(0.5 - CATCH_UP_SECONDS, abs=0.001)


def test_idle_time_is_not_made_up_for(clock: Clock) -> None:
    pace = Pace(1000.0)
    pace.keep()
    clock.now += 60
    began = clock.now
    for _ in range(500):
        pace.keep()
    assert clock.now - began == pytest.approx(0.5 - CATCH_UP_SECONDS)


def test_without_a_rate_nothing_is_held_up(clock: Clock) -> None:
    Pace(0.0).keep()
    assert clock.now == 100.0
