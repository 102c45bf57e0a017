"""A day of a shop with all its faults, and a live moment: everything sent is accounted for."""

from collections import Counter

import pytest
from accounting import unaccounted
from running import Platform

pytestmark = pytest.mark.platform


def test_everything_sent_is_accounted_for(platform: Platform) -> None:
    sizes = ("--days", "1", "--rate", "0.15", "--seed", "1", "--live", "10", "--malformed", "0.005", "--late", "0.02")
    platform.run("daybreak", "shop", *sizes, "--ledger", str(platform.ledger), "--payloads")
    kinds = Counter((entry.kind or "").partition(":")[0] for entry in platform.sent())
    assert min(kinds[kind] for kind in ("good", "late", "duplicate", "malformed", "future")) > 0
    assert kinds.total() > 10_000
    platform.wait_drained()
    assert unaccounted(platform) == []


def test_late_events_are_marked_and_kept(platform: Platform) -> None:
    late = Counter(row["late_by_ms"] > 0 for row in platform.rows("silver/events", "late_by_ms"))
    assert late[True] > 100
    assert late[False] > 10 * late[True]


def test_the_check_can_fail(platform: Platform) -> None:
    """One line of the ledger withheld: the check must name the record that it does not know."""
    lines = platform.ledger.read_text()
    withheld = platform.sent()[0]
    try:
        platform.ledger.write_text(lines.partition("\n")[2])
        found = unaccounted(platform)
    finally:
        platform.ledger.write_text(lines)
    assert any("never sent" in line and str(withheld.offset) in line for line in found)
