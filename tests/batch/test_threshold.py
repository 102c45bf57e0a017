"""How much a day may be corrected before a person is asked: exact at the limit, and silent where it has to be."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from batch.days.day import Day
from batch.days.day_plan import Settlement
from batch.night.approval_request import as_json, in_words, refuse
from batch.night.decide import answerable
from batch.night.settle import ApprovalRequest
from batch.reconciliation.causes import STEPS
from batch.settlement.decisions import Decision, LastDecision
from batch.settlement.threshold import UNNAMED, Correction, figures, limits, over_threshold, share, totals, waterfall
from infra.failures import PermanentFailure

FIFTH = {"sales": Decimal("0.2"), "visits": Decimal("0.2")}
DAY = Day(date(2026, 1, 31))


def row(view: str, measure: str, speed: int, truth: int, **more: int) -> dict[str, Any]:
    """A row of the summary; what is not said to be another cause is lateness."""
    moves = {cause.value: 0 for cause in STEPS} | {
        name: value for name, value in more.items() if name != "rows_differing"
    }
    moves["late"] += truth - speed - sum(moves.values())
    faults = {"unexplained": 0, "rows_unexplained": 0}
    rows = {"rows_differing": more.get("rows_differing", 500), "rows_open": None, "open_until": None}
    return (
        {"day": DAY.date, "view": view, "measure": measure, "speed": speed, "truth": truth, "run": "r"}
        | moves
        | faults
        | rows
    )


def over(*rows: Mapping[str, Any], settled: Mapping[str, int] | None = None, floor: int = 100) -> list[str]:
    before = None if settled is None else Settlement({}, settled)
    return [f"{one.view}.{one.measure}" for one in over_threshold(rows, before, FIFTH, floor)]


@pytest.mark.parametrize(
    ("speed", "truth", "asks"),
    [
        (100, 100, False),
        (80, 100, False),
        (79, 100, True),
        (120, 100, False),
        (121, 100, True),
        (-79, -100, True),
        (0, 0, False),
        (1, 0, True),
        # 0.2 is no binary fraction, and these sums are none that a float has: it would ask at the limit here.
        (40_000_000_000_000_028, 50_000_000_000_000_035, False),
        (40_000_000_000_000_027, 50_000_000_000_000_035, True),
    ],
)
def test_the_limit_is_exact(speed: int, truth: int, asks: bool) -> None:
    assert over(row("sales", "cents", speed, truth)) == (["sales.cents"] if asks else [])


def test_a_settled_day_is_measured_by_what_was_settled() -> None:
    late_history = row("sales", "cents", 0, 100)
    assert over(late_history) == ["sales.cents"]
    assert over(late_history, settled={"sales.cents": 99}) == []
    assert over(late_history, settled={"sales.cents": 10}) == ["sales.cents"]
    assert over(late_history, settled={"sales.other": 99}) == ["sales.cents"]


def test_a_few_rows_are_not_asked_about() -> None:
    assert over(row("sales", "cents", 0, 100, rows_differing=99)) == []
    assert over(row("sales", "cents", 0, 100, rows_differing=100)) == ["sales.cents"]


def test_the_farthest_over_its_limit_comes_first() -> None:
    rows = [row("visits", "n", 70, 100), row("sales", "cents", 10, 100), row("sales", "orders", 5, 0)]
    assert over(*rows) == ["sales.orders", "sales.cents", "visits.n"]


def test_history_that_came_too_late_needs_no_approval_by_default() -> None:
    trusted = limits({}, ["sales"])
    assert trusted == {"sales": UNNAMED}
    assert over_threshold([row("sales", "cents", 0, 100)], None, trusted, 1) == []
    assert over_threshold([row("sales", "cents", 200, 100)], None, trusted, 1) == []
    assert len(over_threshold([row("sales", "cents", 201, 100)], None, trusted, 1)) == 1


def test_a_limit_for_no_view_is_refused() -> None:
    assert limits({"sales": Decimal("0.2")}, ["sales", "visits"]) == {"sales": Decimal("0.2"), "visits": UNNAMED}
    with pytest.raises(
        PermanentFailure, match="DAYBREAK_APPROVAL_THRESHOLD names salse, and the views are sales, visits"
    ):
        limits({"salse": Decimal(1)}, ["sales", "visits"])


def test_a_share_has_four_places_and_an_end() -> None:
    assert share(-1, 3) == Decimal("0.3333")
    assert share(0, 0) == 0
    assert share(2**63 - 1, 1) == share(1, 0) == Decimal("99999999999999.9999")


def test_figures_ignore_run_and_order_and_differ_by_a_cent() -> None:
    one, other = row("sales", "cents", 10, 100), row("visits", "n", 7, 9)
    assert figures([one, other]) == figures([other | {"run": "s"}, one])
    assert figures([one, other]) != figures([one | {"late": 89, "rule": 1}, other])


def test_the_waterfall_leads_from_speed_to_truth_by_its_causes() -> None:
    assert waterfall([row("sales", "cents", 1000, 1500, rule=-7), row("sales", "a", 1, 1)]).splitlines() == [
        "| view | measure | speed | late | rule | truth |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
        "| sales | a | 1 | +0 | +0 | 1 |",
        "| sales | cents | 1,000 | +507 | -7 | 1,500 |",
    ]


def test_totals_are_named_by_view_and_measure() -> None:
    assert totals([row("sales", "cents", 1, 2)]) == {"sales.cents": 2}


# What a person reads.

REQUESTED = LastDecision(1, Decision.REQUESTED, "2026-01-31-0a", "f1", None)
REJECTED = replace(REQUESTED, number=2, decision=Decision.REJECTED, decided_by="ann")
REQUEST = ApprovalRequest(
    DAY, "2026-01-31-0a", "f1", (Correction("sales", "cents", 10, 100, Decimal("0.2")),), "| a |", None
)


def test_a_question_says_how_much_and_how_to_answer() -> None:
    with pytest.raises(PermanentFailure) as refused:
        refuse([REQUEST])
    assert "cents of sales from 10 to 100, 90.0 % of the truth, and the threshold is 20 %" in str(refused.value)
    assert 'daybreak decide --date 2026-01-31 --approve --note "why", or --reject' in str(refused.value)
    (form,) = json.loads(as_json([REQUEST]))
    assert {name: form[name] for name in ("day", "run", "figures")} == {
        "day": "2026-01-31", "run": "2026-01-31-0a", "figures": "f1"
    }  # fmt: skip
    assert "| a |" in form["body"]


def test_a_repeated_request_is_open_and_a_rejected_one_is_not() -> None:
    assert replace(REQUEST, last=REQUESTED).is_open
    rejected = replace(REQUEST, last=REJECTED)
    refuse([rejected])
    assert json.loads(as_json([rejected])) == []
    assert in_words(rejected) == "not settled: 2026-01-31 was rejected by ann, and its figures are still the same"


def test_what_can_be_answered() -> None:
    assert answerable(REQUESTED, False, DAY, Decision.APPROVED, "f1") == REQUESTED
    assert answerable(REJECTED, False, DAY, Decision.APPROVED, None) == REJECTED
    with pytest.raises(PermanentFailure, match="no approval was requested"):
        answerable(None, False, DAY, Decision.APPROVED, None)
    with pytest.raises(PermanentFailure, match="they were f0, and the new request is for f1"):
        answerable(REQUESTED, False, DAY, Decision.APPROVED, "f0")
    with pytest.raises(PermanentFailure, match="no longer be rejected"):
        answerable(REQUESTED, True, DAY, Decision.REJECTED, None)
