"""What a person sees of nights that run.

Data flow: runs and their tasks -> a table in a terminal
Run: pytest tests/batch/test_nights.py
"""

from datetime import date
from io import StringIO

import pytest
from rich.console import Console

from batch.commands.nights import ORDER, _shown
from infra.airflow.runs import Run, Task

TASKS = (
    Task("dbt_build", None, 0),
    Task("settle", "running", 2, 1, "2026-01-31"),
    Task("settle", "awaiting_input", 1, 0, "2026-01-30"),
    Task("archive", "success", 1),
    Task("approve", "skipped", 1),
    Task("report", "failed", 1),
)


def seen(*runs: Run, width: int = 80) -> str:
    page = StringIO()
    Console(width=width, file=page).print(_shown(runs))
    return page.getvalue()


@pytest.mark.parametrize("width", [80, 120])
def test_nothing_is_cut(width: int) -> None:
    text = seen(Run("r", date(2026, 1, 31), "running", TASKS), width=width)
    assert "…" not in text
    for word in (
        "2026-01-31",
        "2 of 6",
        "settle 2026-01-31 running (try 2)",
        "settle 2026-01-30 waits for approval",
        "report failed",
    ):
        assert word in text


def test_running_tasks_are_in_order_and_waiting_ones_are_left_out() -> None:
    text = seen(Run("r", date(2026, 1, 31), "running", TASKS))
    places = [text.index(word) for word in ("settle 2026-01-30", "settle 2026-01-31", "report")]
    assert places == sorted(places)
    assert not [name for name in ORDER if name in text and name not in ("settle", "report")]


def test_a_night_that_has_ended_well_has_nothing_left() -> None:
    ended = tuple(Task(name, "success", 1) for name in ORDER)
    assert "2026-01-31 │ success │ 9 of 9 │     │" in seen(Run("r", date(2026, 1, 31), "success", ended))
