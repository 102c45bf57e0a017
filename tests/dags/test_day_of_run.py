"""Which day a run settles: started by the schedule, by a backfill, and by hand with and without a date."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from airflow.sdk.api.datamodels._generated import DagRun

from dags.day_of_run import day_of
from dags.night_step import DAY, ReportStep


def at(day: int, hour: int = 2) -> datetime:
    return datetime(2026, 1, day, hour, tzinfo=UTC)


def asked(kind: str, logical: datetime | None, after: datetime) -> Any:
    """A run as Airflow makes it; by hand its interval is the one that ended before the logical date."""
    start = logical
    if kind == "manual" and logical:
        start = logical.replace(hour=2) - timedelta(days=1 if logical.hour >= 2 else 2)
    return SimpleNamespace(run_type=kind, logical_date=logical, data_interval_start=start, run_after=after)


@pytest.mark.parametrize(
    ("kind", "logical", "after", "day"),
    [
        ("scheduled", at(30), at(31), "2026-01-30"),
        ("backfill", at(28), at(31, 9), "2026-01-28"),
        ("manual", None, at(31, 9), "2026-01-30"),
        ("manual", None, at(31, 1), "2026-01-30"),
        ("manual", at(28, 0), at(31, 9), "2026-01-28"),
        ("manual", at(28, 2), at(31, 9), "2026-01-28"),
        ("manual", at(28, 23), at(31, 9), "2026-01-28"),
        ("asset_triggered", None, at(31, 9), "2026-01-30"),
    ],
)
def test_a_run_settles_the_day_that_a_person_means(
    kind: str, logical: datetime | None, after: datetime, day: str
) -> None:
    assert day_of(asked(kind, logical, after)) == day


def test_a_run_by_hand_without_a_date_renders_its_day() -> None:
    """Airflow gives such a run no `ds`, no `data_interval_start`; what it has are these."""
    assert {"run_type", "logical_date", "data_interval_start", "run_after"} <= DagRun.model_fields.keys()
    task = ReportStep(task_id="report")
    run = asked("manual", None, at(31, 9))
    task.render_template_fields({"dag_run": run, "day_of": day_of})  # type: ignore[typeddict-unknown-key]
    assert DAY not in task.bash_command
    assert str(task.bash_command).endswith("--date 2026-01-30")
