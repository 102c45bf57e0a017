"""The night's truth is what plain Python makes of what was sent, to the cent; before it, speed + late = truth."""

from datetime import UTC, date, datetime, timedelta

import pyarrow as pa
import pytest
from accounting import unaccounted
from conserved import disagreeing
from running import Platform
from truth_check import misspoken, untrue

from batch.archive.events import ARCHIVE
from infra.lake import reader

pytestmark = pytest.mark.platform

TODAY = datetime.now(UTC).date()
DAYS = (TODAY - timedelta(days=3), TODAY - timedelta(days=1))
"""The silent day and the shop's day, of the earlier tests."""


def test_before_the_night_speed_and_late_make_the_truth(platform: Platform) -> None:
    platform.wait_drained()
    assert misspoken(platform) == []


@pytest.mark.parametrize("day", DAYS, ids=["silent day", "shop's day"])
def test_a_night_settles_the_day_with_the_truth(platform: Platform, day: date) -> None:
    platform.run("batch", "night", "--date", str(day))
    assert untrue(platform, [day]) == []
    assert [row["revision"] for row in platform.rows("reconciliation/settlements") if row["day"] == day] == [1]


def test_the_archive_has_everything_once(platform: Platform) -> None:
    assert unaccounted(platform, archived=True) == []


def test_a_file_of_the_archive_holds_one_partition_of_the_log(platform: Platform) -> None:
    files = pa.table(reader.delta(platform.settings, ARCHIVE.id).get_add_actions(flatten=True)).to_pylist()
    assert files
    for file in files:
        assert file["min.topic"] == file["max.topic"] is not None
        assert file["min.partition"] == file["max.partition"]
        assert file["min.offset"] <= file["max.offset"]


def test_every_partition_is_conserved_to_its_end(platform: Platform) -> None:
    assert disagreeing(platform) == []


def test_every_difference_has_a_cause(platform: Platform) -> None:
    summaries = platform.rows("reconciliation/summary")
    assert {row["day"] for row in summaries} >= set(DAYS)
    assert {(row["unexplained"], row["rows_unexplained"]) for row in summaries} == {(0, 0)}
    revenue = next(row for row in summaries if row["day"] == DAYS[1] and row["measure"] == "revenue_cents")
    assert revenue["speed"] + revenue["late"] == revenue["truth"]
    assert revenue["late"] > 0
    assert not [row for row in platform.rows("reconciliation/differences") if row["unexplained"]]
