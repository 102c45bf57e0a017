"""Drills with known answers: duplicates across a midnight, a clock ahead, 1 % late to two days, a payment three hours late.

Early, because event times only go forward: of these days the stream hears in time, and what is late is late on purpose.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import failpoints
import pytest
from conserved import disagreeing
from failpoints import CLOCK, DAY, EVE, MIDNIGHT, MILLISECOND
from running import VIEWS, Platform
from traffic import Sendable
from truth_check import untrue

pytestmark = pytest.mark.platform

AMOUNT = 2_498
"""Cents of every order and payment of the failpoints."""


@dataclass(frozen=True)
class Drilled:
    """The platform after the days' nights; what was sent of each kind, and how late the late ones were, in ms."""

    platform: Platform
    burst: list[Sendable]
    ahead: list[Sendable]
    late: dict[str, int]
    payment: dict[str, int]
    ids: frozenset[str]

    def of(self, table: str, view: str) -> Iterator[dict[str, Any]]:
        """Rows of reconciliation about DAY; and those about an event of the failpoints on EVE, which may have others."""
        for row in self.platform.rows(f"reconciliation/{table}"):
            if row["view"] == view and (row["day"] == DAY or (row["day"] == EVE and row.get("event_id") in self.ids)):
                yield row


def as_ms(late: dict[Sendable, timedelta]) -> dict[str, int]:
    return {event_id: by // MILLISECOND for (_, _, _, event_id, _), by in late.items() if event_id}


@pytest.fixture(scope="module")
def drilled(platform: Platform) -> Drilled:
    """All failpoints sent, each behind the clock that it needs; then the nights of both days."""
    burst, ahead, in_time = failpoints.midnight(1), failpoints.ahead(), failpoints.in_time(2)
    late, payment = failpoints.late(3), failpoints.late_payment()
    for records in ([*burst, *ahead], in_time, [failpoints.clock(CLOCK)], [*late, *payment]):
        platform.send(records)
        platform.wait_drained()
    for day in (DAY, EVE):
        if day not in {row["day"] for row in platform.rows("reconciliation/settlements", "day")}:
            platform.run("batch", "night", "--date", str(day))
    sent = [*burst, *in_time, *late, *payment]
    return Drilled(platform, burst, ahead, as_ms(late), as_ms(payment), frozenset(str(record[3]) for record in sent))


def test_the_stream_marked_what_was_late_and_nothing_else(drilled: Drilled) -> None:
    silver = drilled.platform.rows("silver/events", "event_id", "late_by_ms")
    found = Counter((row["event_id"], row["late_by_ms"]) for row in silver if row["event_id"] in drilled.ids)
    late = drilled.late | drilled.payment
    assert found == Counter((event_id, late.get(event_id, 0)) for event_id in drilled.ids)


@pytest.mark.parametrize("view", VIEWS)
def test_the_causes_found_are_the_causes_injected(drilled: Drilled, view: str) -> None:
    expected = {(event_id, "late", "add", by) for event_id, by in drilled.late.items()}
    if view == "order_payments":
        expected |= {(event_id, "partner_late", "add", by) for event_id, by in drilled.payment.items()}
    columns = ("event_id", "cause", "side", "late_by_ms")
    assert Counter(tuple(row[name] for name in columns) for row in drilled.of("evidence", view)) == Counter(expected)


@pytest.mark.parametrize("view", VIEWS)
def test_only_the_rows_of_those_events_differ(drilled: Drilled, view: str) -> None:
    expected: Counter[tuple[str, ...]] = Counter()
    if view == "order_totals":
        times = {failpoints.WATERMARK - by * MILLISECOND for by in drilled.late.values()}
        minutes = {at.replace(second=0, microsecond=0) for at in times if at >= MIDNIGHT}
        expected[("late",)] = len(minutes)
    else:
        expected[("late",)] = sum(by <= timedelta(days=1) // MILLISECOND for by in drilled.late.values())
        expected[("partner_late",)] = 1
    rows = list(drilled.of("differences", view))
    assert Counter(tuple(row["causes"]) for row in rows) == expected
    assert not [row for row in rows if row["unexplained"]]


@pytest.mark.parametrize("view", VIEWS)
def test_the_sums_lead_to_the_truth(drilled: Drilled, view: str) -> None:
    sums = {row["measure"]: row for row in drilled.of("summary", view)}
    late = sum(by <= timedelta(days=1) // MILLISECOND for by in drilled.late.values())
    moves = {"orders": (late, 0), "paid_orders": (0, 1), "amount_cents": (0, AMOUNT)}
    moves |= {"items": (3 * late, 0), "revenue_cents": (AMOUNT * late, 0)}
    for measure, row in sums.items():
        assert (row["late"], row["partner_late"]) == moves[measure]
        assert row["speed"] + row["late"] + row["partner_late"] == row["truth"]
        assert (row["unexplained"], row["rows_unexplained"]) == (0, 0)
    assert sums["orders"]["truth"] == 10 + failpoints.ORDERS - failpoints.LATE + 2 + late


def test_a_copy_counts_once_and_on_its_own_side_of_midnight(drilled: Drilled) -> None:
    platform = drilled.platform
    truth = platform.rows("truth/order_totals", "window_start", "day", "orders")
    counted = {(row["window_start"].astimezone(UTC), row["day"]): row["orders"] for row in truth}
    assert counted[MIDNIGHT, DAY] == counted[MIDNIGHT - timedelta(minutes=1), EVE] == 10
    sent = sum(entry.kind == "duplicate" for entry in platform.sent())
    assert sent >= sum(record[4] == "duplicate" for record in drilled.burst) >= 20
    batches = platform.rows("speed/progress", "rows")
    assert sum(row["rows"]["duplicate"] for row in batches) == sent
    assert sum(row["duplicates"] for row in platform.rows("reconciliation/conservation", "duplicates")) == sent
    assert disagreeing(platform) == []


def test_a_clock_that_runs_ahead_moves_nothing(drilled: Drilled) -> None:
    ahead = {record[3]: record[2] for record in drilled.ahead}
    refused = drilled.platform.rows("silver/quarantine", "event_id", "value", "reasons", "arrival")
    found = {row["event_id"]: row for row in refused if row["event_id"] in ahead}
    assert {event_id: (row["value"], row["reasons"]) for event_id, row in found.items()} == {
        event_id: (value, ["future"]) for event_id, value in ahead.items()
    }
    for row in found.values():
        said = datetime.fromtimestamp(json.loads(row["value"])["event_time"] / 1000, UTC)
        assert said - row["arrival"] > timedelta(minutes=5)
    progress = drilled.platform.rows("speed/progress", "max_event_time", "watermark")
    assert max(row["max_event_time"] for row in progress if row["max_event_time"]) == CLOCK
    assert max(row["watermark"] for row in progress if row["watermark"]) == failpoints.WATERMARK


def test_both_days_are_true_and_nothing_is_unexplained(drilled: Drilled) -> None:
    assert untrue(drilled.platform, [EVE, DAY]) == []
    assert not [row for row in drilled.platform.rows("reconciliation/differences") if row["unexplained"]]
