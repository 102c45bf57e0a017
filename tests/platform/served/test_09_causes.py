"""What is put wrong on purpose is what the night finds: event by event, row by row, and nothing else."""

import json
from collections import Counter
from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
from accounting import where
from corpus import encoded
from running import VIEWS, Platform
from traffic import Sendable, paid, placed
from truth_check import untrue

pytestmark = pytest.mark.platform

DAY = datetime.now(UTC).date() - timedelta(days=6)
NOON = datetime.combine(DAY, time(12), UTC)
"""A day of which no other test sends anything; the stream's clock is past it, so all of it is late."""
UNPAID = placed("causes: unpaid", NOON)
ORDER = placed("causes: paid", NOON + timedelta(minutes=10))
PAYMENT = paid("causes: paid", NOON + timedelta(minutes=10))
LATE = {UNPAID[3]: "late", ORDER[3]: "late"}
INJECTED = {"order_totals": LATE, "order_payments": LATE | {PAYMENT[3]: "partner_late"}}
STEPS = {
    "order_totals": Counter({("late",): 2}),
    "order_payments": Counter({("late",): 1, ("late", "partner_late"): 1}),
}


def repeats() -> list[Sendable]:
    """The first order once more, and once more under its id with another customer: both layers keep the first arrival."""
    topic, key, value, event_id, _ = UNPAID
    other = encoded(json.loads(value or b"") | {"customer_id": "c-8"})
    return [(topic, key, value, event_id, "duplicate"), (topic, key, other, event_id, "poison:other content=conflict")]


@pytest.fixture(scope="module")
def settled(platform: Platform) -> Platform:
    """The platform after the day's night."""
    platform.send([placed("causes: the clock", datetime.now(UTC))])
    platform.wait_drained()
    platform.send([UNPAID, ORDER, PAYMENT, *repeats()])
    platform.wait_drained()
    platform.run("batch", "night", "--date", str(DAY))
    return platform


def of_day(platform: Platform, table: str, view: str) -> list[dict[str, Any]]:
    return [row for row in platform.rows(f"reconciliation/{table}") if (row["day"], row["view"]) == (DAY, view)]


@pytest.mark.parametrize("view", VIEWS)
def test_the_causes_found_are_the_causes_injected(settled: Platform, view: str) -> None:
    rows = of_day(settled, "evidence", view)
    assert Counter((row["event_id"], row["cause"], row["side"]) for row in rows) == Counter(
        (event_id, cause, "add") for event_id, cause in INJECTED[view].items()
    )


@pytest.mark.parametrize("view", VIEWS)
def test_an_event_says_which_record_it_was_and_how_late(settled: Platform, view: str) -> None:
    silver = {where(row): row for row in settled.rows("silver/events")}
    for row in of_day(settled, "evidence", view):
        assert row["late_by_ms"] > timedelta(days=4) / timedelta(milliseconds=1)
        for name in ("event_id", "arrival", "late_by_ms"):
            assert row[name] == silver[where(row)][name]


@pytest.mark.parametrize("view", VIEWS)
def test_every_differing_row_is_explained_step_by_step(settled: Platform, view: str) -> None:
    rows = of_day(settled, "differences", view)
    for row in rows:
        first, *steps, last = row["waterfall"]
        assert (first["cause"], first["value"]) == ("speed", row["speed"])
        assert (last["cause"], last["value"]) == ("truth", row["truth"])
        assert steps[-1]["value"] == row["truth"]
        assert [step["cause"] for step in steps] == row["causes"]
        assert not row["unexplained"]
    assert Counter(tuple(row["causes"]) for row in rows) == STEPS[view]
    corrected = Counter(tuple(row["cause"].split("+")) for row in of_day(settled, "corrections", view))
    assert corrected == STEPS[view]


@pytest.mark.parametrize("view", VIEWS)
def test_the_sums_lead_to_the_truth(settled: Platform, view: str) -> None:
    sums = {row["measure"]: row for row in of_day(settled, "summary", view)}
    assert sums
    for row in sums.values():
        assert row["speed"] + row["late"] + row["partner_late"] == row["truth"]
        assert (row["unexplained"], row["rows_unexplained"]) == (0, 0)
    assert (sums["orders"]["speed"], sums["orders"]["late"]) == (0, 2)
    if "paid_orders" in sums:
        assert (sums["paid_orders"]["late"], sums["paid_orders"]["partner_late"]) == (0, 1)
    assert untrue(settled, [DAY]) == []
