"""Lag is arithmetic on what Kafka and progress say; what is lost or soon lost is marked."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from infra.kafka.partitions import Partition
from streaming.monitor.lag import lag_of, records_read

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
WEEK = timedelta(days=7)
READ = Partition("orders", 0, start=100, end=500, committed=500, first_unread=None, retention=WEEK, stable=500)
BEHIND = replace(READ, committed=440, first_unread=NOW - timedelta(hours=48))


def test_one_that_has_read_all_has_the_whole_retention_left() -> None:
    found = lag_of(READ, 600, NOW)
    assert (found.lag, found.lost, found.rate, found.unread_seconds) == (0, 0, 2.0, None)
    assert (found.hours_left, found.retention_hours, found.is_short) == (168.0, 168.0, False)


def test_the_age_of_the_first_unread_record_is_taken_off() -> None:
    found = lag_of(BEHIND, 0, NOW)
    assert (found.lag, found.lost, found.rate, found.unread_seconds) == (60, 0, 0.0, 172_800.0)
    assert (found.hours_left, found.is_short) == (120.0, False)


@pytest.mark.parametrize(
    ("hours_old", "left", "short"), [(151, 17.0, False), (151.5, 16.5, True), (168, 0.0, True), (200, 0.0, True)]
)
def test_under_a_tenth_of_the_retention_is_short(hours_old: float, left: float, short: bool) -> None:
    found = lag_of(replace(BEHIND, first_unread=NOW - timedelta(hours=hours_old)), 0, NOW)
    assert (found.hours_left, found.is_short) == (left, short)


def test_a_topic_that_keeps_for_ever_is_never_short() -> None:
    found = lag_of(replace(BEHIND, retention=None), 0, NOW)
    assert (found.retention_hours, found.hours_left, found.is_short) == (None, None, False)


def test_what_was_deleted_unread_counts_as_lag_and_is_named() -> None:
    found = lag_of(replace(BEHIND, committed=70), 0, NOW)
    assert (found.lag, found.lost) == (430, 30)


def test_a_partition_unknown_to_the_group_is_unread_from_its_start() -> None:
    found = lag_of(replace(BEHIND, committed=None), 0, NOW)
    assert (found.committed, found.lag, found.lost) == (100, 400, 0)


def test_a_broker_clock_ahead_of_ours_gives_no_age_below_zero() -> None:
    found = lag_of(replace(BEHIND, first_unread=NOW + timedelta(seconds=3)), 0, NOW)
    assert (found.unread_seconds, found.hours_left) == (0.0, 168.0)


def test_ranges_of_several_batches_add_up_per_partition() -> None:
    rows = [("orders", 0, 5, 9), ("orders", 1, 0, 2), ("orders", 0, 9, 12), ("payments", 0, 3, 3)]
    ranges = [dict(zip(("topic", "partition", "from", "to"), row, strict=True)) for row in rows]
    assert records_read(ranges) == {("orders", 0): 7, ("orders", 1): 2, ("payments", 0): 0}


def test_what_waits_behind_a_transaction_is_lag_and_named() -> None:
    waiting = replace(READ, committed=480, stable=480, open_since=NOW - timedelta(seconds=30))
    found = lag_of(waiting, 0, NOW)
    assert (found.lag, found.waiting, found.open_seconds) == (20, 20, 30.0)
    assert (lag_of(READ, 0, NOW).waiting, lag_of(READ, 0, NOW).open_seconds) == (0, None)
