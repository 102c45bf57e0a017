"""What did we say then? The history, Delta's older versions of gold and plain arithmetic say the same, row for row."""

import json
from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from fractions import Fraction
from typing import Any

import pytest
from again import HISTORIES, KEPT, MOVED, Again, Build
from approval import HELD
from running import Platform

pytestmark = pytest.mark.platform


COLUMNS = {
    "fct_order_totals": ("window_start", "window_end", "orders", "items", "revenue_cents"),
    "fct_order_payments": (
        *("order_id", "customer_id", "ordered_at", "total_cents"),
        *("payment_status", "payment_id", "captured_at", "amount_cents"),
    ),
}
TIMES = {"window_start", "window_end", "ordered_at", "captured_at"}
SURE = ("status", "revisions")


def comparable(name: str, value: Any) -> Any:
    """Times in epoch milliseconds."""
    return round(value.timestamp() * 1000) if name in TIMES and value is not None else value


def served(platform: Platform, fact: str, version: int) -> Counter[tuple[Any, ...]]:
    """Delta's word: the rows of a version of a fact, read by delta-rs. Of pending orders no view has told yet."""
    columns = ("day", *COLUMNS[fact], *SURE)
    return Counter(
        tuple(str(row[name]) if name == "day" else comparable(name, row[name]) for name in columns)
        for row in platform.rows(f"gold/{fact}", *columns, version=version)
        if row.get("payment_status") != "pending"
    )


def valid(platform: Platform, fact: str, at: datetime) -> Counter[tuple[Any, ...]]:
    """The history's word: the versions that were valid at a time, read by the gateway."""
    asked = ["CAST(day AS STRING) AS day"]
    asked += [f"unix_millis({name}) AS {name}" if name in TIMES else name for name in (*COLUMNS[fact], *SURE)]
    then = f"TIMESTAMP'{at:%Y-%m-%d %H:%M:%S.%f}'"
    sql = (
        f"SELECT {', '.join(asked)} FROM gold.{HISTORIES[fact]} "
        f"WHERE valid_from <= {then} AND (valid_to IS NULL OR valid_to > {then})"
    )
    lines = platform.run("daybreak", "query", sql, "--json").stdout.splitlines()
    return Counter(tuple(json.loads(line).values()) for line in lines)


def test_a_build_changes_no_settled_row_that_no_night_has_changed(again: Again) -> None:
    assert again.first.settled == again.before
    assert all(again.first.settled.values())
    assert again.second.settled["fct_order_totals"] != again.first.settled["fct_order_totals"]


@pytest.mark.parametrize("fact", COLUMNS)
def test_the_history_and_deltas_older_versions_agree(again: Again, fact: str) -> None:
    assert again.first.versions[fact] < again.second.versions[fact]
    for one in (again.first, again.second):
        rows = served(again.platform, fact, one.versions[fact])
        told = valid(again.platform, fact, one.at)
        assert rows - told == Counter(), "served, and not in the history"
        assert told - rows == Counter(), "in the history, and not served"


def minutes(again: Again, one: Build) -> dict[datetime, tuple[int, str, int]]:
    """Orders, status and revisions of the three minutes in a version of gold."""
    columns = ("window_start", "orders", *SURE)
    rows = again.platform.rows("gold/fct_order_totals", *columns, version=one.versions["fct_order_totals"])
    found = {row["window_start"].astimezone(UTC): (row["orders"], row["status"], row["revisions"]) for row in rows}
    return {start: found[start] for start in (KEPT, MOVED, again.live)}


def test_only_a_corrected_row_moved(again: Again) -> None:
    before, after = minutes(again, again.first), minutes(again, again.second)
    assert before[KEPT] == after[KEPT] == (1, "corrected", 1)
    assert (before[MOVED], after[MOVED]) == ((1, "corrected", 1), (2, "corrected", 2))
    assert after[again.live] == (before[again.live][0] + 1, "provisional", 0)


def test_the_ledger_tells_every_version_of_a_corrected_row(again: Again) -> None:
    ledger = [
        row
        for row in again.platform.rows("reconciliation/corrections")
        if (row["day"], row["view"]) == (HELD, "order_totals")
        and datetime.fromisoformat(json.loads(row["key"])["window_start"]) == MOVED
    ]
    told = [(row["revision"], json.loads(row["new"])["orders"], row["cause"]) for row in ledger]
    sql = (
        "SELECT revision, orders, cause FROM gold.fct_order_totals_history "
        f"WHERE day = DATE'{HELD}' AND window_start = TIMESTAMP'{MOVED:%Y-%m-%d %H:%M:%S}' ORDER BY valid_from"
    )
    lines = again.platform.run("daybreak", "query", sql, "--json").stdout.splitlines()
    assert [tuple(json.loads(line).values()) for line in lines] == sorted(told) == [(1, 1, "late"), (2, 2, "late")]


# Expected completeness, in plain Python.

CLOSES = {
    "fct_order_totals": ("order_totals", lambda row: row["window_end"]),
    "fct_order_payments": ("order_payments", lambda row: row["captured_at"] or row["ordered_at"] + timedelta(days=3)),
    "fct_daily_orders": ("order_totals", lambda row: midnight(row["day"] + timedelta(days=1))),
}


def midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def frontier(platform: Platform) -> datetime:
    """The event time that the stream, and with it each view, has read."""
    return max(
        row["aligned_event_time"]
        for row in platform.rows("speed/progress", "aligned_event_time")
        if row["aligned_event_time"]
    )


@pytest.mark.parametrize("fact", CLOSES)
def test_a_provisional_row_expects_what_came_as_late_as_it_is_old(again: Again, fact: str) -> None:
    platform, (view, closes) = again.platform, CLOSES[fact]
    waits: Counter[int] = Counter()
    for row in platform.rows("reconciliation/lateness"):
        if (row["view"], row["basis"]) == (view, "log"):
            waits[row["required_delay_seconds"]] += row["events"]
    clock, delay = frontier(platform), timedelta(seconds=platform.settings.watermark_delay_seconds)
    rows = [row for row in platform.rows(f"gold/{fact}") if row["status"] == "provisional"]
    assert rows
    for row in rows:
        age = min(clock - closes(row), delay)
        in_time = sum(events for wait, events in waits.items() if timedelta(seconds=wait) <= age)
        share = min(in_time * 10**9 // waits.total(), 10**9 - 1)
        assert Fraction(row["expected_completeness"]) == Fraction(share, 10**9), row
    if fact == "fct_order_totals":
        assert max(row["expected_completeness"] for row in rows) > 0 or not waits[0], "some came in order"
