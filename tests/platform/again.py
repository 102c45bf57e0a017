"""A day that was approved is corrected again, between two builds of gold.

Data flow: a late order, a live one -> a night by hand, gold before and after it -> Again: both builds
Run: pytest tests/platform/served/test_08_approval.py tests/platform/served/test_09_history.py
"""

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from approval import HELD, limited, noon
from running import Platform
from traffic import placed

HISTORIES = {"fct_order_totals": "fct_order_totals_history", "fct_order_payments": "fct_order_payments_history"}
"""Fact -> its history."""
MARTS = (
    *("fct_orders", "fct_order_totals", "fct_daily_orders"),
    *("rpt_reconciliation", "rpt_completeness", "rpt_expected_completeness"),
)
Settled = dict[str, Counter[str]]
"""Rows of every mart that the stream alone does not change."""
KEPT, MOVED = noon(HELD), noon(HELD) + timedelta(minutes=20)
"""Minutes of HELD with an order each, both corrected when the day was approved; MOVED gets one more."""


@dataclass(frozen=True)
class Build:
    """A build of gold: when it was finished, the version of each fact that it left, and what is settled behind it."""

    at: datetime
    versions: dict[str, int]
    settled: Settled


@dataclass(frozen=True)
class Again:
    """Two builds of gold: between them MOVED was corrected again, the minute `live` was said again, and KEPT stayed.

    `before` is what was settled in front of the first: no night came between.
    """

    platform: Platform
    live: datetime
    before: Settled
    first: Build
    second: Build


def told_again(platform: Platform) -> Again:
    """With Airflow's scheduler standing still, so that no other night or build comes between."""
    with platform.paused("airflow-scheduler"):
        now = datetime.now(UTC)
        live = now.replace(second=0, microsecond=0) - timedelta(minutes=3)
        platform.send([placed("again: the clock", now), placed("again: live", live)])
        platform.wait_drained()
        before, first = settled(platform), build(platform)
        # One order more than four is a fifth of the truth: just what is trusted.
        platform.send([placed(f"approval {HELD} last", MOVED + timedelta(seconds=30))])
        platform.send([placed("again: live once more", live + timedelta(seconds=30))])
        platform.wait_drained()
        with limited(platform):
            platform.run("batch", "night", "--curve", "--date", str(HELD))
        return Again(platform, live, before, first, build(platform))


def build(platform: Platform) -> Build:
    """Build gold, by hand. It counts itself."""
    builds = len(platform.rows("gold/rpt_builds"))
    platform.run("batch.gold", "build")
    times = [row["built_at"] for row in platform.rows("gold/rpt_builds")]
    assert len(times) == builds + 1
    at = max(times).astimezone(UTC)
    return Build(at, {fact: version_at(platform, fact, at) for fact in HISTORIES}, settled(platform))


def settled(platform: Platform) -> Settled:
    return {
        mart: Counter(
            repr(sorted(row.items())) for row in platform.rows(f"gold/{mart}") if row.get("status") != "provisional"
        )
        for mart in MARTS
    }


def version_at(platform: Platform, fact: str, at: datetime) -> int:
    """The fact's version at a time, by the timestamps of its commits."""
    commits = platform.table(f"gold/{fact}").history()
    return max(commit["version"] for commit in commits if commit["timestamp"] <= at.timestamp() * 1000)
