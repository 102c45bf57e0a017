"""Nights that are repeated, that run side by side, and that find something new: the tables stay right.

A night that dies for real is in test_09_corrections; what a death at each point leaves, in tests/batch/test_killed.py.
"""

from collections import Counter
from datetime import UTC, datetime, time, timedelta

import pytest
from night_tables import TABLES, content
from running import Platform
from traffic import paid, placed
from truth_check import untrue

pytestmark = pytest.mark.platform

DAY = datetime.now(UTC).date() - timedelta(days=10)
NOON = datetime.combine(DAY, time(12), UTC)
"""A day of which the stream hears only now: all of its events are late. The shop's own late events are of the last two days."""


def night(platform: Platform) -> None:
    platform.run("batch", "night", "--date", str(DAY))


def assert_settled(platform: Platform, revision_now: int) -> None:
    """The day is true, covered once, and no correction was written twice."""
    assert untrue(platform, [DAY]) == []
    assert [row["revision"] for row in platform.rows("reconciliation/settlements") if row["day"] == DAY] == [
        revision_now
    ]
    corrections = platform.rows("reconciliation/corrections", "day", "view", "key", "revision")
    assert set(Counter(tuple(row.values()) for row in corrections).values()) <= {1}


def test_a_night_settles_a_day_of_which_everything_is_late(platform: Platform) -> None:
    platform.send([placed(f"order {n}", NOON + timedelta(minutes=n)) for n in range(5)])
    platform.send([paid("order 1", NOON + timedelta(minutes=10)), paid("order 2", NOON + timedelta(minutes=63))])
    platform.wait_drained()
    night(platform)
    assert_settled(platform, 1)


def test_two_nights_at_once_find_a_settled_days_late_event(platform: Platform) -> None:
    platform.send([placed("found again", NOON + timedelta(minutes=1, seconds=30))])
    platform.wait_drained()
    other = platform.begin("batch", "night", "--date", str(DAY))
    night(platform)
    said = other.communicate(timeout=1800)
    assert other.returncode == 0, said
    assert_settled(platform, 2)
    minute = [
        row
        for row in platform.rows("reconciliation/corrections")
        if row["day"] == DAY and row["view"] == "order_totals"
    ]
    newest = max(minute, key=lambda row: row["revision"])
    assert (newest["revision"], '"orders":1,' in newest["old"], '"orders":2,' in newest["new"]) == (2, True, True)


def test_the_same_night_again_changes_nothing(platform: Platform) -> None:
    before = {name: (platform.table(name).version(), content(platform.rows(name))) for name in TABLES}
    night(platform)
    for name in TABLES:
        assert (platform.table(name).version(), content(platform.rows(name))) == before[name], name
