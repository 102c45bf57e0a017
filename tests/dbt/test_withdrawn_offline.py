"""A settlement that was withdrawn gives its day back to the stream, in facts and in history, until the next one.

Data flow: settlements, past_settlements, speed, truth by hand -> gold -> versions and failing tests
Run: pytest tests/dbt/test_withdrawn_offline.py
"""

from datetime import timedelta

import pytest
from offline_gold import Gold
from rows_of_gold import (
    DAY,
    FACTS,
    OUR_TESTS,
    SETTLED,
    at,
    correction,
    covered,
    minute,
    progress,
    said,
    state,
    utc,
    versions,
)

pytestmark = pytest.mark.slow

MOVED, LEFT_ALONE = at(0), at(1)
WITHDRAWN = SETTLED[0] + timedelta(hours=3)


@pytest.fixture
def withdrawn(gold: Gold) -> Gold:
    """A day that was settled with one correction, and withdrawn because of what came later: truth has it, nothing else."""
    gold.put("speed.progress", [progress(0, at(2))])
    gold.put("speed.order_totals", [said(minute(MOVED, 2), 0, at(2)), said(minute(LEFT_ALONE, 5), 0, at(2))])
    gold.put("reconciliation.corrections", [correction(minute(MOVED, 2), minute(MOVED, 3), 1, "late")])
    gold.put("reconciliation.settlements", [covered(1)])
    gold.put("reconciliation.state", [state(1)])
    gold.put("truth.order_totals", [minute(MOVED, 3), minute(LEFT_ALONE, 5)])
    gold.build()
    gold.put("reconciliation.past_settlements", [covered(1) | {"withdrawn_at": WITHDRAWN}])
    gold.put("reconciliation.settlements", [])
    gold.put("reconciliation.state", [state(2)])
    gold.put("truth.order_totals", [minute(MOVED, 90), minute(LEFT_ALONE, 80)])
    gold.build()
    return gold


def test_a_withdrawn_day_is_provisional_and_blocks_nothing(withdrawn: Gold) -> None:
    found = {utc(row["window_start"]): (row["orders"], row["status"]) for row in withdrawn.rows("fct_order_totals")}
    assert found == {MOVED: (2, "provisional"), LEFT_ALONE: (5, "provisional")}
    assert {row["status"] for fact in FACTS for row in withdrawn.rows(fact)} == {"provisional"}
    assert withdrawn.failing(*OUR_TESTS) == set()


def test_the_streams_versions_come_back_into_force(withdrawn: Gold) -> None:
    (first, _) = SETTLED
    assert versions(withdrawn, MOVED) == [
        (2, "provisional", None, 0, None, at(2), first),
        (3, "corrected", 1, 1, "late", first, WITHDRAWN),
        (2, "provisional", None, 0, None, WITHDRAWN, None),
    ]
    assert versions(withdrawn, LEFT_ALONE) == [
        (5, "provisional", None, 0, None, at(2), first),
        (5, "settled", 1, 0, None, first, WITHDRAWN),
        (5, "provisional", None, 0, None, WITHDRAWN, None),
    ], "what waits for a person was never settled"


def test_the_next_settlement_ends_them_again(withdrawn: Gold) -> None:
    ledger = [
        correction(minute(MOVED, 2), minute(MOVED, 3), 1, "late"),
        correction(minute(LEFT_ALONE, 5), minute(LEFT_ALONE, 80), 2, "late"),
    ]
    withdrawn.put("reconciliation.corrections", ledger)
    withdrawn.put("reconciliation.settlements", [covered(2)])
    withdrawn.put("truth.order_totals", [minute(MOVED, 3), minute(LEFT_ALONE, 80)])
    withdrawn.build()
    first, second = SETTLED
    assert versions(withdrawn, MOVED)[1:] == [
        (3, "corrected", 1, 1, "late", first, WITHDRAWN),
        (2, "provisional", None, 0, None, WITHDRAWN, second),
        (3, "corrected", 2, 1, "late", second, None),
    ]
    assert versions(withdrawn, LEFT_ALONE)[1:] == [
        (5, "settled", 1, 0, None, first, WITHDRAWN),
        (5, "provisional", None, 0, None, WITHDRAWN, second),
        (80, "corrected", 2, 1, "late", second, None),
    ]
    assert withdrawn.failing(*OUR_TESTS) == set()


@pytest.mark.parametrize("copies", [[{}, {"withdrawn_at": WITHDRAWN}], [{"withdrawn_at": WITHDRAWN}]])
def test_a_settlement_that_two_nights_kept_was_withdrawn_once(withdrawn: Gold, copies: list[dict[str, object]]) -> None:
    withdrawn.put("reconciliation.past_settlements", [covered(1) | copy for copy in copies])
    (row,) = withdrawn.rows("rpt_settlements")
    assert (row["day"], utc(row["withdrawn_at"])) == (DAY, WITHDRAWN)
