"""A correction that is over its approval threshold settles nobody's day before a person has said so."""

from decimal import Decimal

import pytest
from again import Again
from approval import DAG, EVE, FACTS, HELD, OTHER, Story, decisions, served, settled
from truth_check import untrue

from infra.failures import PERMANENT_EXIT

pytestmark = pytest.mark.platform


def test_a_night_without_airflow_stops_and_says_how_to_answer(story: Story) -> None:
    assert story.refused.returncode == PERMANENT_EXIT
    said = story.refused.stderr
    assert f"{HELD} would be corrected by more than its approval threshold" in said
    assert "orders of order_payments from 0 to 3, 100.0 % of the truth, and the threshold is 20 %" in said
    assert f"daybreak decide --date {HELD} --approve --note" in said
    assert story.settled_when_refused == {OTHER: 1}
    asked = story.decisions[0]
    assert (asked["decision"], asked["decided_by"]) == ("requested", None)
    assert (asked["before"], asked["share"], asked["threshold"]) == (0, Decimal("1.0000"), Decimal("0.2000"))


def test_a_rejected_day_is_not_asked_about_again(story: Story) -> None:
    rejected = story.decisions[1]
    assert (rejected["decision"], rejected["note"], rejected["decided_by"]) == ("rejected", "--not yet", "ann")
    assert story.again.returncode == 0, story.again.stderr
    assert f"not settled: {HELD} was rejected by ann" in story.again.stdout


def test_airflow_asks_with_the_waterfall_and_other_days_do_not_wait(story: Story) -> None:
    assert story.request.subject.startswith(f"Settle {HELD}?")
    assert "| order_totals | orders | 0 | +4 | +0 | 4 |" in story.request.body
    assert story.settled_when_asked == {OTHER: 2, EVE: 1}
    for fact in FACTS:
        assert story.when_asked[fact] <= {"provisional"}, fact
    assert {(row["decision"], row["settled_at"]) for row in story.reported_when_asked} == {("requested", None)}


def test_the_nights_of_a_backfill_share_a_driver_and_no_task_fails(story: Story) -> None:
    tasks = {run.day: {task.name: task for task in run.tasks} for run in story.runs}
    assert set(tasks) == {EVE, HELD}
    assert {name for day in tasks for name in tasks[day] if name.startswith("settle")} == {
        *(f"settle {day}" for day in (OTHER, EVE, HELD))
    }
    # Else what fails once, and is mended by the second try, is seen by no one.
    assert [(day, name) for day in tasks for name, task in tasks[day].items() if task.try_number > 1] == []
    first, second = (_said(story, run.run_id, "archive") for run in story.runs)
    assert "has done" not in first
    assert f"has done {HELD} already" in second


def _said(story: Story, run_id: str, task_id: str) -> str:
    logs = (
        story.platform.settings.home / "airflow" / "logs" / f"dag_id={DAG}" / f"run_id={run_id}" / f"task_id={task_id}"
    )
    return (logs / "attempt=1.log").read_text()


def test_an_approval_settles_the_day_and_gold_serves_it(story: Story) -> None:
    platform = story.platform
    assert "answered: the night goes on" in story.answered
    assert [row["decision"] for row in story.decisions] == ["requested", "rejected", "requested", "approved"]
    approved = story.decisions[-1]
    assert (approved["note"], approved["number"]) == ("a failpoint", 4)
    assert approved["decided_by"] == platform.settings.airflow_user
    assert untrue(platform, [HELD, OTHER]) == []
    assert served(platform, HELD) == 4
    reported = platform.rows("gold/rpt_reconciliation", "day", "decision", "revision")
    assert {(row["decision"], row["revision"]) for row in reported if row["day"] == HELD} == {(None, 1)}


def test_the_next_correction_is_measured_by_what_was_approved(story: Story, again: Again) -> None:
    platform = story.platform
    late = platform.run("batch", "decide", "--date", str(HELD), "--reject", "--note=too late", "--by=ann", check=False)
    assert late.returncode == PERMANENT_EXIT
    assert "no longer be rejected" in late.stderr
    assert settled(platform)[HELD] == 2
    past = [row for row in platform.rows("reconciliation/past_settlements") if row["day"] == HELD]
    assert [(row["revision"], row["totals"]["order_totals.orders"]) for row in past] == [(1, 4)]
    assert len(decisions(platform)) == 4
