"""Gold over rows made by hand: every model fits the lake's columns, and each served number knows how sure it is."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from offline_gold import Compiled, Gold
from pyspark.sql import SparkSession
from rows_of_gold import (
    DAY,
    DELAY,
    FACTS,
    NEXT,
    NOON,
    OUR_TESTS,
    SETTLED,
    at,
    correction,
    covered,
    minute,
    progress,
    said,
    span,
    state,
    utc,
    versions,
)

pytestmark = pytest.mark.slow


def test_every_model_and_test_fits_the_lakes_own_columns(gold: Gold) -> None:
    gold.build()
    assert gold.unfit() == {}
    assert all(gold.rows(fact) == [] for fact in FACTS)


# History.

CLAIMS = "what_a_fact_claims"
HISTORY = "is_true_history_fct_order_totals"
"""The beginning of the name of its test."""

MOVED, GONE, UNSAID, OPEN = at(0), at(1), at(2), at(0, NOON + timedelta(days=1))
TAKEN_BACK = at(1, OPEN)


@pytest.fixture(scope="module")
def twice_settled(spark: SparkSession, nodes: Sequence[Compiled]) -> Gold:
    """A day that the stream answered in two generations and that was settled twice, with a build behind each settlement.

    MOVED was corrected both times, GONE only by the second, to nothing; of UNSAID the stream had said nothing, without a
    difference; OPEN is of a day that is not settled.
    """
    gold = Gold(spark, nodes)
    runs = [("1", 0, at(1)), ("1", 1, at(2)), ("2", 0, at(30)), ("2", 1, at(40))]
    gold.put("speed.progress", [progress(batch, as_of, generation) for generation, batch, as_of in runs])
    rows = [
        said(minute(MOVED, 1), 0, at(1)),
        said(minute(GONE, 5), 1, at(2)),
        said(minute(MOVED, 2), 1, at(2)),
        said(minute(MOVED, 2), 1, at(40), "2"),
        said(minute(GONE, 5), 1, at(40), "2"),
        said(minute(OPEN, 7), 1, at(40), "2"),
        said(minute(TAKEN_BACK, 9), 1, at(40), "2"),
        said(minute(TAKEN_BACK, 9), 2, at(41), "2", is_removed=True),
    ]
    gold.put("speed.order_totals", rows)
    gold.build()
    ledger = [correction(minute(MOVED, 2), minute(MOVED, 3), 1, "late")]
    gold.put("reconciliation.corrections", ledger)
    gold.put("reconciliation.settlements", [covered(1)])
    gold.put("reconciliation.state", [state(1)])
    gold.put("truth.order_totals", [minute(MOVED, 3), minute(GONE, 5), minute(UNSAID, 4)])
    gold.build()
    ledger += [
        correction(minute(MOVED, 3), minute(MOVED, 4), 2, "late+rule"),
        correction(minute(GONE, 5), None, 2, "rule"),
    ]
    gold.put("reconciliation.corrections", ledger)
    gold.put("reconciliation.past_settlements", [covered(1)])
    gold.put("reconciliation.settlements", [covered(2)])
    gold.put("reconciliation.state", [state(2)])
    gold.put("truth.order_totals", [minute(MOVED, 4), minute(UNSAID, 4)])
    gold.build()
    return gold


def test_every_version_is_told_with_its_time(twice_settled: Gold) -> None:
    first, second = SETTLED
    assert versions(twice_settled, MOVED) == [
        (1, "provisional", None, 0, None, at(1), at(2)),
        (2, "provisional", None, 0, None, at(2), at(30)),
        (2, "provisional", None, 0, None, at(40), first),
        (3, "corrected", 1, 1, "late", first, second),
        (4, "corrected", 2, 2, "late+rule", second, None),
    ]
    assert versions(twice_settled, GONE) == [
        (5, "provisional", None, 0, None, at(2), at(30)),
        (5, "provisional", None, 0, None, at(40), first),
        (5, "settled", 1, 0, None, first, second),
    ]
    assert versions(twice_settled, UNSAID) == [(4, "settled", 1, 0, None, first, None)]
    assert versions(twice_settled, OPEN) == [(7, "provisional", None, 0, None, at(40), None)]
    assert versions(twice_settled, TAKEN_BACK) == [(9, "provisional", None, 0, None, at(40), at(41))]


def test_a_fact_says_its_status_its_time_and_its_revisions(twice_settled: Gold) -> None:
    found = {
        utc(row["window_start"]): (row["orders"], row["status"], utc(row["as_of"]), row["revisions"])
        for row in twice_settled.rows("fct_order_totals")
    }
    assert found == {
        MOVED: (4, "corrected", SETTLED[1], 2),
        UNSAID: (4, "settled", SETTLED[1], 0),
        OPEN: (7, "provisional", at(40), 0),
    }
    daily = {
        row["day"]: (row["orders"], row["status"], row["revisions"]) for row in twice_settled.rows("fct_daily_orders")
    }
    assert daily == {DAY: (8, "corrected", 2), NEXT: (7, "provisional", 0)}


def test_what_was_built_is_what_the_history_says(twice_settled: Gold) -> None:
    assert twice_settled.failing(*OUR_TESTS) == set()


def test_settlements_are_kept(twice_settled: Gold) -> None:
    known = {(row["revision"], utc(row["settled_at"])) for row in twice_settled.rows("rpt_settlements")}
    assert known == {(1, SETTLED[0]), (2, SETTLED[1])}


@pytest.mark.parametrize(
    "claim",
    [
        {"expected_completeness": "cast(1 as decimal(18, 9))"},
        {"expected_completeness": "cast(-0.1 as decimal(18, 9))"},
        {"revisions": "1L"},
        {"as_of": "cast(null as timestamp)"},
    ],
)
def test_a_provisional_row_that_claims_too_much_is_found(twice_settled: Gold, claim: dict[str, str]) -> None:
    ((column, value),) = claim.items()
    with twice_settled.instead("fct_order_totals", **{column: f"if(status = 'provisional', {value}, {column})"}):
        assert twice_settled.faults(CLAIMS) == {"every_row_says_how_sure_it_is"}


@pytest.mark.parametrize(
    ("claim", "model", "change"),
    [
        (
            "a_settled_day_equals_truth",
            "fct_order_totals",
            {"orders": "if(status = 'provisional', orders, orders + 1)"},
        ),
        ("keys_of_gold", "fct_order_totals", {"window_start": "timestamp'2026-01-31 12:00:00'"}),
        ("keys_of_gold", "fct_order_totals", {"window_start": "cast(null as timestamp)"}),
        ("keys_of_truth", "stg_truth__order_totals", {"window_start": "timestamp'2026-01-31 12:00:00'"}),
        ("no_day_is_counted_twice", "fct_order_totals", {"status": "'settled'"}),
        ("only_known_values", "fct_order_totals", {"status": "if(status = 'provisional', status, 'final')"}),
    ],
)
def test_a_claim_that_does_not_hold_is_named(
    twice_settled: Gold, claim: str, model: str, change: dict[str, str]
) -> None:
    with twice_settled.instead(model, **change):
        assert claim in twice_settled.faults(CLAIMS)


@pytest.mark.parametrize(
    ("fault", "change"),
    [
        ("valid beside another version", {"valid_to": "if(revision = 1, null, valid_to)"}),
        ("ends before it begins", {"valid_to": "if(revision is null, valid_from, valid_to)"}),
        ("no such status", {"status": "if(revision = 1, 'final', status)"}),
        (
            "the status was left before",
            {"status": "if(revision = 2, 'settled', status)", "revisions": "if(revision = 2, 0, revisions)"},
        ),
        ("corrected is what has corrections", {"revisions": "0"}),
    ],
)
def test_versions_that_do_not_follow_one_another_are_found(
    twice_settled: Gold, fault: str, change: dict[str, str]
) -> None:
    with twice_settled.instead("fct_order_totals_history", **change):
        assert fault in twice_settled.faults(HISTORY)


def test_no_number_changes_behind_a_build_without_a_correction(twice_settled: Gold) -> None:
    gold = twice_settled
    more = [(MOVED, 2, 1, at(40)), (OPEN, 7, 1, at(40)), (OPEN, 9, 2, at(50))]
    gold.put("speed.order_totals", [said(minute(start, n), batch, as_of, "2") for start, n, batch, as_of in more])
    assert [version[0] for version in versions(gold, OPEN)] == [7, 9]
    assert gold.faults(HISTORY) == set()
    gold.put("truth.order_totals", [minute(MOVED, 5), minute(UNSAID, 4)])
    gold.build()
    assert gold.faults(HISTORY) == {"served, and no valid version", "valid, and not served"}
    gold.put("reconciliation.state", [state(3)])
    assert gold.faults(HISTORY) == set(), "a night is at it"
    gold.put("reconciliation.settlements", [])
    gold.put("reconciliation.past_settlements", [covered(1), covered(2)])
    gold.build()
    assert "a_settled_day_stays_settled" in gold.faults(CLAIMS)


def test_a_day_that_is_held_back_says_so_and_by_whom(gold: Gold) -> None:
    gold.put("reconciliation.summary", [{"day": DAY, "view": "order_totals", "measure": "orders", "run": "run 1"}])
    asked = {"day": DAY, "number": 1, "decision": "requested"}
    rejected = asked | {"number": 2, "decision": "rejected", "decided_by": "ann", "note": "not yet"}
    for words, settlements, told in (
        ([], [], (None, None, None)),
        ([asked], [], ("requested", None, None)),
        ([rejected, asked], [], ("rejected", "ann", "not yet")),
        ([asked, rejected, asked | {"number": 3}], [], ("requested", None, None)),
        ([asked, rejected], [covered(1)], (None, None, None)),
    ):
        gold.put("reconciliation.decisions", words)
        gold.put("reconciliation.settlements", settlements)
        gold.build()
        (row,) = gold.rows("rpt_reconciliation")
        assert (row["decision"], row["decided_by"], row["note"]) == told


def test_a_settlement_that_no_build_saw_is_known(gold: Gold) -> None:
    ledger = [correction(None, minute(MOVED, 3), 1, "late"), correction(minute(MOVED, 3), minute(MOVED, 4), 2, "late")]
    gold.put("reconciliation.corrections", ledger)
    gold.put("reconciliation.past_settlements", [covered(1)])
    gold.put("reconciliation.settlements", [covered(2)])
    gold.put("reconciliation.state", [state(2)])
    gold.put("truth.order_totals", [minute(MOVED, 4)])
    gold.build()
    known = {(row["revision"], utc(row["settled_at"])) for row in gold.rows("rpt_settlements")}
    assert known == {(1, SETTLED[0]), (2, SETTLED[1])}
    assert [version[:4] for version in versions(gold, MOVED)] == [(3, "corrected", 1, 1), (4, "corrected", 2, 2)]


# What did we say at time T? Against the answer at T itself.


def payment(rng: Random, order: str, ordered_at: datetime) -> dict[str, Any]:
    captured = rng.choice((None, at(rng.randrange(50), ordered_at)))
    paid = captured is not None
    return {
        "order_id": order,
        "customer_id": "c",
        "ordered_at": ordered_at,
        "total_cents": 100,
        "payment_status": "paid" if paid else "unpaid",
        "payment_id": rng.choice(("p", "q")) if paid else None,
        "captured_at": captured,
        "amount_cents": 100 if paid else None,
        "orders": 1,
        "paid_orders": int(paid),
        "day": ordered_at.date(),
    }


LAST = datetime.max.replace(tzinfo=UTC)


def answers(rows: Iterable[dict[str, Any]], batches: Iterable[dict[str, Any]], time: datetime) -> dict[str, Any]:
    """The stream's answers at a time: of the newest generation, per order the first capture, and of equals the latest."""
    newest = max((batch["generation"] for batch in batches if batch["as_of"] <= time), default="")
    best: dict[str, Any] = {}
    for row in rows:
        if row["generation"] == newest and row["as_of"] <= time:
            preferred = (
                row["captured_at"] or LAST,
                row["payment_id"] or "~",
                row["amount_cents"] or 0,
                row["ordered_at"],
            )
            rank = (*preferred, row["total_cents"], row["customer_id"], -row["as_of"].timestamp())
            best[row["order_id"]] = min(best.get(row["order_id"], (rank, row)), (rank, row), key=lambda one: one[0])
    return {order: row for order, (_, row) in best.items()}


def test_the_history_at_any_time_is_the_answer_of_that_time(gold: Gold) -> None:
    rng = Random(6)
    batches, rows = [], []
    for number in range(24):
        generation, batch = ("1", number) if number < 14 else ("2", number - 14)
        batches.append(progress(batch, at(number), generation))
        for order in rng.sample(range(8), rng.randrange(5)):
            twice = [payment(rng, f"o-{order}", at(order)) for _ in range(rng.choice((1, 1, 2)))]
            rows += [said(row, batch, at(number), generation, is_final=number % 2 == 0) for row in twice]
    gold.put("speed.progress", batches)
    gold.put("speed.order_payments", rows)
    gold.build()
    history = gold.rows("fct_order_payments_history")
    assert len({row["order_id"] for row in history}) == 8
    for number in range(25):
        time = at(number - 0.5)
        valid = {row["order_id"]: row for row in history if span(row)[0] <= time < (span(row)[1] or LAST)}
        expected = answers(rows, batches, time)
        assert valid.keys() == expected.keys()
        for order, row in valid.items():
            captured = row["captured_at"] and utc(row["captured_at"])
            best = expected[order]
            status = "open" if best["payment_status"] == "unpaid" and not best["is_final"] else best["payment_status"]
            assert (row["payment_status"], row["payment_id"], captured, row["is_final"]) == (
                *(status, best["payment_id"], best["captured_at"]),
                best["is_final"],
            )


# Expected completeness.

EVENT_LATENESS = {
    "order_totals": {0: 900, 1: 30, 59: 20, 60: 25, 600: 5, 601: 15, 90_000: 5},
    "order_payments": {0: 7, 3: 3},
}


def measured(gold: Gold) -> None:
    rows = [
        {
            "day": DAY,
            "view": view,
            "basis": basis,
            "required_delay_seconds": wait,
            "events": events * (1 if basis == "log" else 3),
        }
        for view, waits in EVENT_LATENESS.items()
        for wait, events in waits.items()
        for basis in ("log", "stream")
    ]
    gold.put("reconciliation.lateness", rows)


def expected(view: str, frontier: datetime, closes: datetime) -> Fraction:
    """The share of the events that waited no longer than the row's age, and not past the delay; never all of them."""
    waits = EVENT_LATENESS[view]
    age = min(frontier - closes, DELAY) / timedelta(seconds=1)
    share = Fraction(sum(events for wait, events in waits.items() if wait <= age), sum(waits.values()))
    return min(Fraction(int(share * 10**9), 10**9), Fraction(10**9 - 1, 10**9))


STAYS_OPEN = timedelta(days=3) - timedelta(hours=1)
"""How much longer an order is open than an hour."""


@pytest.fixture(scope="module")
def provisional(spark: SparkSession, nodes: Sequence[Compiled]) -> Gold:
    """A minute every minute, and some orders, all of them late; the stream has read up to half past noon and a bit."""
    gold = Gold(spark, nodes)
    measured(gold)
    gold.put(
        "speed.progress",
        [
            progress(0, at(31), aligned_event_time=at(20)),
            progress(1, at(32), aligned_event_time=at(30.01), watermark=at(20.01)),
        ],
    )
    gold.put("speed.order_totals", [said(minute(at(number), 1), 1, at(32)) for number in range(-5, 32)])
    items = [{"product_id": "p", "quantity": 2, "unit_price_cents": 50}]
    gold.put(
        "silver.events",
        [
            {
                "topic": "orders",
                "event_id": f"e-{number}",
                "event_type": "order_placed",
                "event_time": at(number) - STAYS_OPEN,
                "orders": {"order_id": f"o-{number}", "customer_id": "c", "items": items, "total_cents": 100},
                "arrival": at(number) - STAYS_OPEN,
                "late_by_ms": 0,
                "day": DAY,
            }
            for number in (-45, -30, -29.99, -1, 29)
        ],
    )
    gold.build()
    return gold


def test_a_row_expects_what_came_as_late_as_it_is_old(provisional: Gold) -> None:
    frontier = at(30.01)
    minutes = provisional.rows("fct_order_totals")
    assert len(minutes) == 37
    for row in minutes:
        assert Fraction(row["expected_completeness"]) == expected("order_totals", frontier, utc(row["window_end"]))
    shares = {Fraction(row["expected_completeness"]) for row in minutes}
    assert shares == {0, Fraction(90, 100), Fraction(975, 1000), Fraction(98, 100)}
    for row in provisional.rows("fct_orders"):
        closes = utc(row["ordered_at"]) + timedelta(days=3)
        assert Fraction(row["expected_completeness"]) == expected("order_payments", frontier, closes)
        assert utc(row["as_of"]) == utc(row["ordered_at"]), "known since it came, for no payment was told of"


def test_the_whole_is_never_expected(provisional: Gold) -> None:
    orders = {
        utc(row["ordered_at"]) + STAYS_OPEN: row["expected_completeness"] for row in provisional.rows("fct_orders")
    }
    assert str(orders[at(-45)]) == "0.999999999"
    assert orders[at(29)] == 0
    (day,) = provisional.rows("fct_daily_orders")
    assert day["expected_completeness"] == 0, "the day is not over"
    assert provisional.failing(*OUR_TESTS) == set()


def test_an_expectation_that_is_not_the_curves_is_found(provisional: Gold) -> None:
    curve = {
        "day": DAY,
        "view": "order_totals",
        "measure": "orders",
        "delay_seconds": 60,
        "in_force": False,
    } | dict.fromkeys(("value", "value_in_time", "rows", "rows_final", "state_rows"), 1)
    check = "what_is_expected_is_what_the_curve_measured"
    for in_time, found in ((975, set()), (974, {check})):
        provisional.put("reconciliation.curve", [curve | {"events": 1000, "events_in_time": in_time}])
        provisional.build()
        assert provisional.failing(check) == found


def test_without_a_measurement_or_a_clock_nothing_is_expected(provisional: Gold) -> None:
    # The last one: it leaves nothing that could be expected.
    provisional.put("reconciliation.lateness", [])
    provisional.build()
    assert {row["expected_completeness"] for fact in FACTS for row in provisional.rows(fact)} == {None}
    measured(provisional)
    provisional.put("speed.progress", [progress(0, at(33), "2")])
    provisional.put("speed.order_totals", [said(minute(at(0), 1), 0, at(33), "2")])
    provisional.build()
    assert [row["expected_completeness"] for row in provisional.rows("fct_order_totals")] == [None]
