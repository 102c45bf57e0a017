"""Which nightly task starts a driver: the archive's does the whole night, the others what it has left over."""

import json
import sys
from datetime import UTC, date, datetime, time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.providers.standard.operators.bash import BashOperator

from dags import handed_over
from dags.night_step import AHEAD, ArchiveStep, GoldStep, NightStep

DONE = {"tries": 1, "done": {"2026-01-30": [], "2026-01-31": [{"day": "2026-01-31"}]}, "drawn": True}


class Task:
    """A task instance with Airflow's XCom of one key."""

    def __init__(self, ahead: dict[str, Any] | None = None, try_number: int = 1, max_tries: int = 2) -> None:
        self.try_number, self.max_tries = try_number, max_tries
        self.pushed = {AHEAD: ahead}

    def xcom_pull(self, task_ids: str, key: str, map_indexes: None) -> Any:
        assert task_ids == "archive"
        return self.pushed[key]

    def xcom_push(self, key: str, value: Any) -> None:
        self.pushed[key] = value


@pytest.fixture
def submitted(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The arguments of every driver that was started; each reports that it settled a day."""
    started: list[list[str]] = []

    def start(own: Any, context: Any) -> None:
        started.append([text for text in own.application_args if "/" not in text])
        if own.reports:
            by = {"archive": {"days": ["2026-01-31"], "done": {"2026-01-31": []}, "drawn": True}}
            Path(own.application_args[-1]).write_text(json.dumps(by.get(own.step, ["own driver"])))

    monkeypatch.setattr(SparkSubmitOperator, "execute", start)
    return started


def scheduled(night: str) -> SimpleNamespace:
    at = datetime.combine(date.fromisoformat(night), time(2), UTC)
    return SimpleNamespace(run_type="scheduled", data_interval_start=at, logical_date=at, run_after=at)


def run(step: NightStep, task: Task, night: str = "2026-01-31", backfill: dict[str, str] | None = None) -> Any:
    params = {"full": False, "backfill": backfill}
    return step.execute({"ti": task, "params": params, "dag_run": scheduled(night)})  # type: ignore[typeddict-item]


def settle(day: str) -> NightStep:
    return NightStep(step="correct", task_id="settle", day=day, reports=True)


def test_what_is_done_starts_no_driver_and_gives_its_questions(submitted: list[list[str]]) -> None:
    assert run(settle("2026-01-30"), Task(DONE)) == []
    assert run(settle("2026-01-31"), Task(DONE)) == [{"day": "2026-01-31"}]
    assert run(NightStep(step="curve", task_id="curve"), Task(DONE)) is None
    assert submitted == []


@pytest.mark.parametrize(
    "task", [Task(None), Task(DONE | {"done": {}}), Task(DONE, try_number=2)], ids=["none", "left over", "tried again"]
)
def test_what_is_left_over_or_tried_again_has_a_driver(submitted: list[list[str]], task: Task) -> None:
    assert run(settle("2026-01-31"), task) == ["own driver"]
    assert len(submitted) == 1


def test_the_curve_is_drawn_where_it_was_left_over(submitted: list[list[str]]) -> None:
    run(NightStep(step="curve", task_id="curve"), Task(DONE | {"drawn": False}))
    assert len(submitted) == 1


@pytest.mark.parametrize(
    ("try_number", "max_tries", "is_ahead"),
    [(1, 2, True), (2, 2, False), (3, 2, False), (4, 5, True)],
    ids=["first", "second", "third", "cleared"],
)
def test_the_first_try_of_the_archive_goes_ahead(
    submitted: list[list[str]], try_number: int, max_tries: int, is_ahead: bool
) -> None:
    task = Task(try_number=try_number, max_tries=max_tries)
    assert run(ArchiveStep(task_id="archive", retries=2), task) == ["2026-01-31"]
    assert ("--ahead" in submitted[0]) is is_ahead
    assert task.pushed[AHEAD] == {"tries": try_number, "done": {"2026-01-31": []}, "drawn": True}


@pytest.fixture
def variables(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Airflow's variables, as text."""
    own: dict[str, str] = {}

    def get(key: str, default: Any, deserialize_json: bool) -> Any:
        return json.loads(own[key]) if key in own else default

    monkeypatch.setattr(handed_over.Variable, "get", get)
    monkeypatch.setattr(handed_over.Variable, "set", lambda key, value, **more: own.update({key: json.dumps(value)}))
    return own


BACKFILL = {"asked": "now", "last": "2026-02-02"}
REPORT = {"days": ["2026-01-31"], "done": {"2026-01-31": [], "2026-02-01": [{"day": "2026-02-01"}], "2026-02-02": []}}


@pytest.fixture
def first(monkeypatch: pytest.MonkeyPatch, submitted: list[list[str]], variables: dict[str, str]) -> Task:
    """The archive's task of a backfill's first night, whose driver has done all three."""
    # A later day, which was rejected before, is in the first night's plan too.
    report = REPORT | {"drawn": True, "days": [*REPORT["days"], "2026-02-01"]}

    def start(own: Any, context: Any) -> None:
        submitted.append([text for text in own.application_args if "/" not in text])
        Path(own.application_args[-1]).write_text(json.dumps(report))

    monkeypatch.setattr(SparkSubmitOperator, "execute", start)
    task = Task()
    assert archive(task, "2026-01-31") == ["2026-01-31"]
    return task


def archive(task: Task, night: str, backfill: dict[str, str] = BACKFILL) -> Any:
    return run(ArchiveStep(task_id="archive", retries=2), task, night, backfill)


def test_the_first_night_of_a_backfill_does_the_next_ones_days(first: Task, submitted: list[list[str]]) -> None:
    assert submitted[0][submitted[0].index("--until") + 1] == "2026-02-02"
    assert first.pushed[AHEAD] == {"tries": 1, "done": {"2026-01-31": []}, "drawn": True}


def test_a_later_night_of_the_backfill_starts_no_driver(first: Task, submitted: list[list[str]]) -> None:
    task = Task()
    assert archive(task, "2026-02-01") == ["2026-02-01"]
    assert run(settle("2026-02-01"), task) == [{"day": "2026-02-01"}], "with its approval request"
    assert archive(Task(), "2026-02-02") == ["2026-02-02"]
    assert len(submitted) == 1


@pytest.mark.parametrize(
    ("tries", "backfill"),
    [([1, 2], BACKFILL), ([2], BACKFILL), ([1], BACKFILL | {"asked": "later"})],
    ids=["cleared afterwards", "tried again", "another backfill"],
)
def test_a_later_night_does_what_was_not_handed_over(
    first: Task, submitted: list[list[str]], tries: list[int], backfill: dict[str, str]
) -> None:
    for number in tries:
        archive(Task(try_number=number, max_tries=3 if len(tries) > 1 else 2), "2026-02-01", backfill)
    assert len(submitted) == 2


def test_a_long_backfill_changes_its_driver_every_week() -> None:
    assert handed_over.last_ahead({"last": "2026-03-31"}, "2026-01-31") == "2026-02-06"
    assert handed_over.last_ahead({"last": "2026-02-01"}, "2026-01-31") == "2026-02-01"


def test_a_run_that_is_cleared_whole_finds_its_days_done() -> None:
    assert run(settle("2026-01-30"), Task(DONE | {"tries": 2}, try_number=2, max_tries=3)) == []


@pytest.mark.parametrize(
    ("gold_on", "try_number", "always", "builds"),
    [
        (None, 1, False, True),
        ("2026-01-31", 1, False, True),
        ("2026-02-01", 1, False, False),
        ("2026-01-30", 1, False, True),
        ("2026-02-01", 2, False, True),
        ("2026-02-01", 1, True, True),
    ],
    ids=["no backfill", "last night", "earlier night", "later night", "tried again", "after an approval"],
)
def test_a_backfill_builds_gold_in_its_last_night(
    monkeypatch: pytest.MonkeyPatch, gold_on: str | None, try_number: int, always: bool, builds: bool
) -> None:
    built: list[str] = []
    monkeypatch.setattr(BashOperator, "execute", lambda own, context: built.append(own.task_id))
    context = {
        "ti": Task(try_number=try_number),
        "params": {"full": False, "gold_on": gold_on},
        "dag_run": scheduled("2026-01-31"),
    }
    GoldStep(verb="build", task_id="dbt_build", always=always).execute(context)  # type: ignore[arg-type]
    assert bool(built) is builds


def test_types_are_those_that_airflow_gives() -> None:
    from airflow.sdk.execution_time.task_runner import RuntimeTaskInstance

    assert {"try_number", "max_tries"} <= RuntimeTaskInstance.model_fields.keys()
