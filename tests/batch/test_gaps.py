"""What a person can accept is exactly what retention took before a night read it, with the days around it."""

from datetime import UTC, date, datetime

import pytest

from batch.conservation.check import Marks
from batch.conservation.gaps import acceptable, as_rows
from infra.failures import PermanentFailure
from streaming.positions.gaps import Gap, GapCause
from streaming.positions.log import Log

ORDERS, PAYMENTS, NEW = ("orders", 0), ("payments", 0), ("payments", 1)
LOST = Gap(*PAYMENTS, 30, 40, GapCause.RETENTION)
KNOWN = Marks(archived={ORDERS: (0, 50), PAYMENTS: (5, 30)})
EVENING, NIGHT = datetime(2026, 1, 31, 22, tzinfo=UTC), datetime(2026, 2, 1, 2, tzinfo=UTC)


def test_the_gap_is_what_lies_between_the_archive_and_the_log() -> None:
    log = Log({ORDERS: 50, PAYMENTS: 40, NEW: 0}, {ORDERS: 60, PAYMENTS: 40, NEW: 9})
    assert acceptable(KNOWN, log) == [LOST]


def test_a_partition_that_was_added_has_lost_what_is_before_its_log() -> None:
    log = Log({ORDERS: 50, PAYMENTS: 30, NEW: 7}, {ORDERS: 60, PAYMENTS: 40, NEW: 9})
    assert acceptable(KNOWN, log) == [Gap(*NEW, 0, 7, GapCause.RETENTION)]


def test_without_a_gap_nothing_can_be_accepted() -> None:
    with pytest.raises(PermanentFailure, match="no gap to accept"):
        acceptable(KNOWN, Log({ORDERS: 50, PAYMENTS: 30}, {ORDERS: 60, PAYMENTS: 30}))


def test_an_accepted_gap_is_accepted_once_and_the_next_begins_behind_it() -> None:
    accepted = Marks(archived=KNOWN.archived, gaps={PAYMENTS: [(30, 40)]})
    with pytest.raises(PermanentFailure, match="no gap to accept"):
        acceptable(accepted, Log({ORDERS: 0, PAYMENTS: 40}, {ORDERS: 60, PAYMENTS: 40}))
    found = acceptable(accepted, Log({ORDERS: 0, PAYMENTS: 44}, {ORDERS: 60, PAYMENTS: 50}))
    assert found == [Gap(*PAYMENTS, 40, 44, GapCause.RETENTION)]


def test_a_partition_that_was_empty_can_have_a_gap() -> None:
    seen = Marks(conserved={NEW: 0})
    assert acceptable(seen, Log({NEW: 7}, {NEW: 9})) == [Gap(*NEW, 0, 7, GapCause.RETENTION)]


def test_another_log_is_refused() -> None:
    with pytest.raises(PermanentFailure, match="payments-0 ends at 3, the archive at 30"):
        acceptable(KNOWN, Log({ORDERS: 55, PAYMENTS: 0}, {ORDERS: 60, PAYMENTS: 3}))


@pytest.mark.parametrize(
    ("before", "after", "days"),
    [
        ({PAYMENTS: EVENING}, {PAYMENTS: NIGHT}, (date(2026, 1, 31), date(2026, 2, 1))),
        ({PAYMENTS: EVENING}, {}, (date(2026, 1, 31), date(2026, 2, 5))),
        ({}, {PAYMENTS: NIGHT}, (None, date(2026, 2, 1))),
        ({ORDERS: EVENING}, {ORDERS: NIGHT}, (None, date(2026, 2, 5))),
    ],
)
def test_a_row_spans_the_days_of_the_arrivals_around_it(
    before: dict[tuple[str, int], datetime],
    after: dict[tuple[str, int], datetime],
    days: tuple[date | None, date],
) -> None:
    now = datetime(2026, 2, 5, 9, tzinfo=UTC)
    (row,) = as_rows([LOST], "disk full", now, now, before, after)
    assert (row["from_day"], row["to_day"]) == days
    assert (row["topic"], row["partition"], row["from"], row["to"], row["cause"], row["note"]) == (
        *PAYMENTS, 30, 40, "retention", "disk full",
    )  # fmt: skip
