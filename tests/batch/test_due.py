"""Which days a night redoes, and what stays known of a day that is settled again, held back, rejected."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql import SparkSession

from batch.archive.events import ARCHIVE
from batch.days.day import Day
from batch.days.day_plan import DayPlan, Redo, Settlement
from batch.due import plans as due
from batch.due.affected_days import Touched
from batch.due.night_state import begun, record, record_begun, unchanged_to
from batch.due.plans import plans
from batch.night import settle as settling
from batch.night.all_tables import night_tables
from batch.reconciliation.differences import SUMMARY
from batch.settlement.decisions import DECISIONS, Decision, answer, newest, request
from batch.settlement.settlements import PAST_SETTLEMENTS, SETTLEMENTS, is_settled, settle, withdraw
from batch.settlement.threshold import Correction
from infra import failpoints
from infra.lake import arrow_tables, spark_tables
from infra.lake.rows import frame
from infra.lake.writes import append_once, replace_days
from streaming.tables.progress import PROGRESS
from streaming.views import VIEWS

pytestmark = pytest.mark.slow

FIRST, SECOND, NIGHT = (Day(date(2026, 1, day)) for day in (29, 30, 31))
OLD, NEW = {"view": "old"}, {"view": "new"}
AT = ("orders", 0)
VIEW = next(iter(VIEWS))
DOUBT = Correction(VIEW, "sum", 10, 100, Decimal("0.2"))


@pytest.fixture
def own(spark: SparkSession, local_lake: Path, monkeypatch: pytest.MonkeyPatch) -> SparkSession:
    """An archive of one record of the first day, and nothing settled."""
    monkeypatch.setattr(failpoints, "settings", lambda: SimpleNamespace(home=local_lake))
    for table in (*night_tables(), PROGRESS):
        spark_tables.create(spark, table)
    arrive(spark, 0, FIRST)
    return spark


def arrive(spark: SparkSession, offset: int, day: Day, hour: int = 12) -> None:
    at = day.start + timedelta(hours=hour)
    record = {"topic": AT[0], "partition": AT[1], "offset": offset, "arrival": at, "event_time": at, "day": day.date}
    append_once(frame(spark, [record], ARCHIVE.schema), ARCHIVE, "test", offset)


def todo(spark: SparkSession, definitions: Mapping[str, str] = OLD, **more: Any) -> dict[Day, DayPlan]:
    return {plan.day: plan for plan in plans(spark, NIGHT, definitions, **more)}


def settle_all(spark: SparkSession, definitions: Mapping[str, str] = OLD, **more: Any) -> None:
    for plan in todo(spark, definitions, **more).values():
        settle(plan, {f"{VIEW}.sum": 100})


def settled(spark: SparkSession, *days: Day) -> None:
    """Settle days that no night has come to yet."""
    for day in days:
        for plan in plans(spark, day, OLD):
            settle(plan, {f"{VIEW}.sum": 100})


def test_a_night_does_its_day_and_what_arrivals_touched(own: SparkSession) -> None:
    (plan,) = todo(own).values()
    assert (plan.day, plan.revision, plan.replaces) == (NIGHT, 1, False)
    assert plan.run.startswith("2026-01-31-")
    assert todo(own)[NIGHT].run == plan.run
    settled(own, FIRST, SECOND)
    assert list(todo(own)) == [NIGHT]
    assert list(todo(own, full=True)) == [FIRST, SECOND, NIGHT]
    settle_all(own)
    assert todo(own) == {}
    # Arrivals touch their day; tests/batch/test_touched.py has the days whose rows they reach.
    arrive(own, 1, SECOND)
    assert list(todo(own)) == [SECOND]
    arrive(own, 2, FIRST)
    assert list(todo(own)) == [FIRST, SECOND]
    assert list(todo(own, only=SECOND)) == [SECOND]
    assert list(todo(own, only=NIGHT)) == []
    runs = {plan.run for plan in todo(own).values()}
    assert len(runs) == 2, "each day is a run of its own"
    assert todo(own, only=FIRST)[FIRST].run in runs


def test_days_that_no_night_came_for_are_made_up_for(own: SparkSession) -> None:
    assert list(todo(own)) == [NIGHT], "history before the first night is not its own"
    settled(own, FIRST)
    assert list(todo(own)) == [NIGHT], "a day without records has no night"
    arrive(own, 1, SECOND)
    arrive(own, 2, Day(NIGHT.date + timedelta(days=1)))
    found = todo(own)
    assert list(found) == [SECOND, NIGHT]
    assert (found[SECOND].revision, found[SECOND].previous) == (1, None)
    assert list(todo(own, only=SECOND)) == [SECOND]
    assert todo(own, only=SECOND)[SECOND].run == found[SECOND].run
    settle_all(own)
    assert todo(own) == {}


def test_a_night_makes_up_for_so_many_days_the_oldest_first(own: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(due, "MISSED", 2)
    long_ago = [Day(FIRST.date + timedelta(days=day)) for day in range(-9, -4)]
    settled(own, long_ago[0])
    for offset, day in enumerate(reversed(long_ago[1:]), 1):
        arrive(own, offset, day)
    first = list(todo(own))
    assert first == [*long_ago[1:3], NIGHT]
    # The first is settled, the second fails: it stays due, and one more is begun.
    settle(todo(own)[long_ago[1]])
    assert list(todo(own)) == [*long_ago[2:4], NIGHT]
    assert list(todo(own, only=long_ago[2])) == [long_ago[2]]


def test_a_day_is_not_looked_at_twice_for_the_same_records(own: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    settled(own, FIRST, SECOND, NIGHT)
    record(FIRST, "run", "run")
    arrive(own, 1, SECOND, hour=0)
    assert list(todo(own)) == [SECOND]
    assert unchanged_to() == {FIRST.date: {AT: 2}}
    with monkeypatch.context() as patch:
        patch.setattr(Touched, "_changed", lambda *_: pytest.fail("it was looked at"))
        assert list(todo(own)) == [SECOND]
    # What is newer than that is looked at again, and a new truth begins anew.
    arrive(own, 2, SECOND, hour=0)
    assert list(todo(own)) == [SECOND]
    assert unchanged_to() == {FIRST.date: {AT: 3}}
    arrive(own, 3, FIRST)
    assert list(todo(own)) == [FIRST, SECOND]
    record(FIRST, "another", None)
    assert unchanged_to() == {}


def test_of_a_settled_day_only_what_can_change_is_redone(own: SparkSession) -> None:
    by = {"events/orders": "1", "view": "old"}
    for plan in plans(own, FIRST, by):
        assert plan.redo is None, "it was never settled"
        settle(plan)
    (plan,) = plans(own, FIRST, by | {"view": "new", "another": "new"})
    assert plan.redo == Redo(views=frozenset({"view", "another"}))
    (plan,) = plans(own, FIRST, by | {"events/orders": "2"})
    assert plan.redo is None, "of another contract every event may be another one"
    arrive(own, 1, FIRST)
    (plan,) = plans(own, FIRST, by)
    assert plan.redo == Redo(topics=frozenset({"orders"}))
    (plan,) = plans(own, FIRST, by | {"view": "new"})
    assert plan.redo == Redo(frozenset({"view"}), frozenset({"orders"}))
    assert plans(own, FIRST, by, full=True)[0].redo is None
    withdraw(plan)
    assert plans(own, FIRST, by)[0].redo is None, "its truth may be half of another"


def test_what_was_begun_of_a_day_stays_known_until_it_is_settled(own: SparkSession) -> None:
    assert begun(FIRST) is None
    record(FIRST, "run", "run")
    assert begun(FIRST) is None, "of a day from before there was this column, all views are done again"
    record_begun(FIRST, ())
    assert begun(FIRST) == set()
    record_begun(FIRST, {"b", "a"})
    record(FIRST, "another", None)
    assert begun(FIRST) == {"a", "b"}
    record_begun(FIRST, None)
    assert begun(FIRST) is None


def test_another_definition_redoes_history_and_both_stay_known(own: SparkSession) -> None:
    settled(own, FIRST, NIGHT)
    found = todo(own, NEW)
    assert list(found) == [FIRST, NIGHT]
    assert found[FIRST].previous == Settlement(OLD, {f"{VIEW}.sum": 100}, horizon=FIRST.end + timedelta(hours=1))
    settle_all(own, NEW)
    history = (
        spark_tables.read(own, SETTLEMENTS)
        .unionByName(spark_tables.read(own, PAST_SETTLEMENTS).drop("withdrawn_at"))
        .collect()
    )
    known = {(row["day"], row["revision"]): dict(row["definitions"]) for row in history}
    assert known == {(day.date, number): by for day in (FIRST, NIGHT) for number, by in ((1, OLD), (2, NEW))}
    assert len(history) == 4
    # A replacement that died between its two commits and is done again keeps nothing twice.
    settle(found[FIRST])
    assert spark_tables.read(own, PAST_SETTLEMENTS).count() == 2


def test_a_waiting_day_stays_due_until_it_is_settled_or_rejected(
    own: SparkSession,
) -> None:
    settled(own, FIRST, NIGHT)
    arrive(own, 1, FIRST)
    plan = todo(own)[FIRST]
    withdraw(plan)
    assert not is_settled(FIRST)
    (past,) = arrow_tables.rows(PAST_SETTLEMENTS)
    assert past["settled_at"] < past["withdrawn_at"], "gold's history needs the time"
    # It died before it asked: the next night comes back to the day.
    again = todo(own)[FIRST]
    assert (again.run, again.revision) == (plan.run, 2)
    assert again.previous == Settlement(
        OLD, {f"{VIEW}.sum": 100}, is_in_force=False, horizon=FIRST.end + timedelta(hours=1)
    )
    request(again, "f1", DOUBT, None)
    assert list(todo(own)) == [FIRST]
    last = newest(FIRST)
    assert last is not None
    answer(FIRST, last, Decision.REJECTED, "ann", "no")
    assert list(todo(own)) == []
    assert list(todo(own, NEW)) == [FIRST, NIGHT]
    arrive(own, 2, FIRST)
    found = todo(own)[FIRST]
    settle(found)
    assert (found.revision, list(todo(own))) == (2, [])
    rows = {row["number"]: row for row in spark_tables.read(own, DECISIONS).collect()}
    assert [rows[n]["decision"] for n in (1, 2)] == ["requested", "rejected"]
    assert (rows[2]["decided_by"], rows[2]["note"], rows[2]["figures"], rows[2]["share"]) == (
        "ann", "no", "f1", Decimal("0.9000")
    )  # fmt: skip


def test_an_approval_is_for_the_figures_that_were_asked_about(
    own: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    corrected: list[Any] = []
    trust = SimpleNamespace(approval_threshold={VIEW: Decimal("0.2")}, approval_min_rows=1)
    monkeypatch.setattr(settling, "settings", lambda: trust)
    monkeypatch.setattr(settling, "correct", lambda *of: corrected.append((of[1].day, of[3])))

    def found(truth: int) -> settling.ApprovalRequest | None:
        row = {field.name: 0 for field in SUMMARY.schema} | {"day": NIGHT.date, "view": VIEW, "measure": "sum"}
        row |= {"truth": truth, "late": truth, "rows_differing": 5, "run": "r", "rows_open": None, "open_until": None}
        replace_days(frame(own, [row], SUMMARY.schema), SUMMARY, [NIGHT.date])
        return settling.settle_day(own, todo(own)[NIGHT])

    def say(decision: Decision) -> None:
        last = newest(NIGHT)
        assert last is not None
        answer(NIGHT, last, decision, "ann", "why")

    asked = found(100)
    assert asked is not None
    assert (asked.is_open, asked.last, corrected) == (True, None, [])
    again = found(100)
    assert again == replace(asked, last=newest(NIGHT)), "the same question is not put twice"
    say(Decision.APPROVED)
    other = found(101)
    assert other is not None, "approved for other figures"
    say(Decision.REJECTED)
    rejected = found(101)
    assert rejected is not None
    assert not rejected.is_open
    say(Decision.APPROVED)
    assert corrected == []
    assert found(101) is None
    assert corrected == [(NIGHT, {f"{VIEW}.sum": 101})]
    words = sorted(spark_tables.read(own, DECISIONS).collect(), key=lambda row: row["number"])
    assert [row["decision"] for row in words] == ["requested", "approved", "requested", "rejected", "approved"]
    assert all(row["decided_at"].replace(tzinfo=UTC) > datetime(2026, 1, 1, tzinfo=UTC) for row in words)
