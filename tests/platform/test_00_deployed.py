"""A wrong revenue rule and a too strict contract, deployed for a day, found by the night, taken back: row by row, to the cent.

Early, because event times only go forward: the stream has its last word on this day while the wrong rules are in force.
"""

import json
import subprocess
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
from accounting import TIGHTENED
from corpus import item
from deployment import copied, deployed
from failpoints import EVE as DAY
from running import VIEWS, Platform
from traffic import order_id_of, paid, placed
from truth_check import untrue

from infra.failures import PERMANENT_EXIT

pytestmark = pytest.mark.platform

TOTAL, WRONG, THREE_PIECES = 2_498, 1_499, 2_997
"""Cents of an order, by the right rule and by the wrong one; and of an order of which the limit makes a broken record."""

MIDNIGHT = datetime.combine(DAY, time(), UTC)
NOON = MIDNIGHT + timedelta(hours=12)
MORNING = [placed(f"deployed: morning {n}", MIDNIGHT + timedelta(hours=6, minutes=n)) for n in range(3)]
ACCEPTED = [placed(f"deployed: noon {n}", NOON + timedelta(seconds=40 * n)) for n in range(9)]
REFUSED_AT = {n: NOON + timedelta(seconds=at) for n, at in enumerate((90, 420, 480))}
"""The first in a minute that has another order, the others alone."""
REFUSED = [
    placed(f"deployed: refused {n}", at, TIGHTENED, items=[item(quantity=3)], total_cents=THREE_PIECES)
    for n, at in REFUSED_AT.items()
]
PAYMENTS = [
    paid("deployed: noon 0", NOON + timedelta(seconds=30)),
    paid("deployed: refused 1", REFUSED_AT[1] + timedelta(seconds=30)),
]
STILL_OPEN = [placed(f"deployed: clock {n}", MIDNIGHT + timedelta(hours=14, minutes=n)) for n in range(2)]
"""Each brings the clock on, so that all before them is closed; of themselves the wrong rule has not had the last word."""


@dataclass(frozen=True)
class Story:
    """The platform after the night of the right code, and what that night had said beside the wrong stream; the right code's plan
    before it was put into force."""

    platform: Platform
    refused: subprocess.CompletedProcess[str]
    plan: dict[str, Any]

    def of(self, table: str, view: str) -> list[dict[str, Any]]:
        rows = self.platform.rows(f"reconciliation/{table}")
        return [row for row in rows if (row["day"], row["view"]) == (DAY, view)]


@pytest.fixture(scope="module")
def story(platform: Platform, tmp_path_factory: pytest.TempPathFactory) -> Story:
    """Right rules, then wrong ones, beside which a night of the right code stops; then right ones again, and the night."""
    platform.send(MORNING)
    platform.wait_drained()
    with deployed(platform, copied(platform.source, tmp_path_factory.mktemp("deployed"))):
        for records in ([*ACCEPTED, *REFUSED, *PAYMENTS], STILL_OPEN[:1], STILL_OPEN[1:]):
            platform.send(records)
            platform.wait_drained()
        refused = platform.run("batch", "night", "--date", str(DAY), check=False)
        assert not [row for row in platform.rows("reconciliation/settlements", "day") if row["day"] == DAY]
    plan = json.loads(platform.run("daybreak", "plan", "--json").stdout)
    platform.run("daybreak", "redefine", "--no-airflow", seconds=2400)
    platform.run("batch", "night", "--date", str(DAY))
    return Story(platform, refused, plan)


def test_a_night_of_other_rules_than_the_streams_settles_nothing(story: Story) -> None:
    assert story.refused.returncode == PERMANENT_EXIT
    assert "different versions cannot be compared" in story.refused.stderr


def test_the_plan_says_what_the_right_code_will_change(story: Story) -> None:
    assert [(one["name"], one["kind"]) for one in story.plan["contracts"]] == [("orders", "changed")]
    tried = story.plan["tried"]["orders"]
    assert tried["is_compatible"], "the wider limit accepts all that the tighter one has accepted"
    assert tried["freed"] >= len(REFUSED)
    assert {one["name"] for one in story.plan["views"] if one["because"] == ["orders"]} >= {*VIEWS}
    assert story.plan["command"] == "daybreak redefine"


def minutes() -> dict[datetime, tuple[int, int]]:
    """The orders of each closed minute: those that the wrong rules let through, and those that they refused."""
    through, not_through = (
        Counter(_time(record[2]).replace(second=0, microsecond=0) for record in records)
        for records in ([*MORNING, *ACCEPTED], REFUSED)
    )
    return {minute: (through[minute], not_through[minute]) for minute in through | not_through}


def _time(value: bytes | None) -> datetime:
    return datetime.fromtimestamp(json.loads(value or b"")["event_time"] / 1000, UTC)


def _sums(row: str | None) -> tuple[int, ...] | None:
    return tuple(json.loads(row)[name] for name in ("orders", "items", "revenue_cents")) if row else None


def test_every_minute_is_corrected_from_what_the_wrong_rule_said(story: Story) -> None:
    expected = {}
    for minute, (through, not_through) in minutes().items():
        all_of_it = through + not_through
        causes = ["definition"] * bool(through) + ["rule"] * bool(not_through)
        said = (through, 3 * through, WRONG * through) if through else None
        truth = (all_of_it, 3 * all_of_it, TOTAL * through + THREE_PIECES * not_through)
        expected[minute] = ("+".join(causes), said, truth)
    found = {
        datetime.fromisoformat(json.loads(row["key"])["window_start"]): (row["cause"], _sums(row["old"]), _sums(row["new"]))
        for row in story.of("corrections", "order_totals")
    }  # fmt: skip
    assert {cause for cause, *_ in expected.values()} == {"definition", "rule", "definition+rule"}
    assert found == expected


def test_of_payments_only_the_refused_orders_are_corrected(story: Story) -> None:
    found = {json.loads(row["key"])["order_id"]: row for row in story.of("corrections", "order_payments")}
    assert {key: (row["cause"], row["old"]) for key, row in found.items()} == {
        order_id_of(f"deployed: refused {n}"): ("rule", None) for n in REFUSED_AT
    }
    paid_ones = {key for key, row in found.items() if json.loads(row["new"])["payment_status"] == "paid"}
    assert paid_ones == {order_id_of("deployed: refused 1")}


@pytest.mark.parametrize("view", VIEWS)
def test_the_events_behind_it_are_those_that_the_strict_rule_refused(story: Story, view: str) -> None:
    found = Counter((row["event_id"], row["cause"], row["side"]) for row in story.of("evidence", view))
    assert found == Counter((record[3], "rule", "add") for record in REFUSED)


@pytest.mark.parametrize("view", VIEWS)
def test_what_the_right_stream_says_leads_to_the_truth(story: Story, view: str) -> None:
    sums = {row["measure"]: row for row in story.of("summary", view)}
    for row in sums.values():
        assert row["speed"] + row["rule"] == row["truth"]
        assert (row["unexplained"], row["rows_unexplained"]) == (0, 0)
    assert (sums["orders"]["rule"], sums["orders"]["truth"]) == (3, 17)
    assert untrue(story.platform, [DAY]) == []


def test_the_blast_radius_is_told_and_is_the_error(story: Story) -> None:
    rows = sum(through > 0 for through, _ in minutes().values())
    error = (TOTAL - WRONG) * (len(MORNING) + len(ACCEPTED))
    said = story.platform.run("daybreak", "reconciliation", "--from", str(DAY), "--to", str(DAY)).stdout
    assert [line for line in said.splitlines() if line.startswith("redefined")] == [
        f"redefined: {rows} rows of order_totals on {DAY} had been written by another version; the new version moved "
        f"revenue_cents {error:+,}"
    ]


def test_both_versions_stay_visible(story: Story) -> None:
    (covered,) = (row for row in story.platform.rows("reconciliation/settlements") if row["day"] == DAY)
    right = dict(covered["definitions"])
    for view in VIEWS:
        said = [row for row in story.platform.rows(f"speed/{view}") if row["day"] == DAY]
        newest = max(said, key=lambda row: row["generation"])
        assert newest["definition"] == right[view]
        assert len({row["definition"] for row in said}) == 2
        assert {row["definition"] for row in story.of("corrections", view)} == {right[view]}
