"""The commands `night` and `backfill`: run one night now without Airflow, or the nights of several days through Airflow.

Data flow: days -> `python -m batch night --curve`, or an Airflow backfill -> the state of every run and task
Run: daybreak backfill --from 2026-01-01 --to 2026-01-03
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import UTC, date, datetime, timedelta
from typing import Annotated

import typer
from rich.live import Live
from rich.table import Table as Grid

from infra.airflow.runs import Run, Task
from infra.commands.screen import Screen
from infra.dates import day_of
from infra.failures import PermanentFailure
from infra.settings import ROOT, settings

commands = typer.Typer()
console = Screen()

DAG = "nightly"
LATEST_START = timedelta(hours=2)
"""The night of a day starts this long after the day's end (UTC), as in the timetable of the DAG."""

ORDER = ("archive", "settle", "approve", "decide", "curve", "dbt_build", "dbt_docs", "report", "dbt_build_decided")
"""The DAG's tasks in the order in which they run; Airflow's API does not give it."""

COLOURS = {
    "success": "green",
    "failed": "bold red",
    "running": "yellow",
    "up_for_retry": "magenta",
    "upstream_failed": "red",
    "queued": "cyan",
    "scheduled": "cyan",
    "awaiting_input": "bold magenta",
}

DONE = frozenset({"success", "skipped"})

Full = Annotated[bool, typer.Option("--full", help="Redo all settled days even if nothing has changed since.")]


@commands.command()
def night(
    day: Annotated[str, typer.Option("--date", help="The day to settle (UTC), YYYY-MM-DD.")], full: Full = False
) -> None:
    """Settle one day without Airflow: archive, truth, reconcile, correct; then its curve."""
    options = ["--date", day_of(day).isoformat(), *(["--full"] if full else [])]
    command = [sys.executable, "-m", "batch", "night", "--curve", *options]
    if code := subprocess.run(command, cwd=ROOT, check=False).returncode:
        raise typer.Exit(code)


@commands.command()
def backfill(
    first: Annotated[str, typer.Option("--from", help="First day (UTC), YYYY-MM-DD.")],
    last: Annotated[str, typer.Option("--to", help="Last day (UTC), YYYY-MM-DD.")],
    full: Full = False,
) -> None:
    """Settle a span of days through Airflow, gold and docs included; waits, and fails if a task fails.

    Up to seven days share a driver, that of the first one's night. Gold is built once, by the last night.
    """
    start, end = day_of(first), day_of(last)
    if start > end:
        raise PermanentFailure(f"--from {start} is after --to {end}")
    due = datetime(end.year, end.month, end.day, tzinfo=UTC) + timedelta(days=1) + LATEST_START
    if due > datetime.now(UTC):
        raise PermanentFailure(
            f"the night of {end} is due at {due:%Y-%m-%d %H:%M} UTC: end with an earlier day, or use `daybreak night`"
        )
    since, until = _on(start), _before(end + timedelta(days=1))
    s = settings()
    # Imported here because the import takes a second.
    from infra.airflow.client import Airflow

    airflow = Airflow(s)
    runs: tuple[Run, ...] = ()
    # Redoing everything once is enough: the last night does it, after the other nights have settled their days.
    spans = (
        [(since, until, full)] if not full or start == end else [(since, _before(end), False), (_on(end), until, True)]
    )
    for begins, ends, everything in spans:
        together = {"asked": datetime.now(UTC).isoformat(), "last": str(ends.date())}
        number = airflow.backfill(DAG, begins, ends, {"full": everything, "gold_on": str(end), "backfill": together})
        nights = (ends - begins).days + 1
        console.print(f"backfill {number}: {nights} nights, see {s.airflow_url}/dags/{DAG}")
        runs += _followed(airflow.watch(DAG, begins, ends))
    failed = [(run, task) for run in runs for task in run.tasks if task.state == "failed"]
    for run, task in failed:
        logs = s.home / "airflow" / "logs" / f"dag_id={DAG}" / f"run_id={run.run_id}" / f"task_id={task.task_id}"
        logs = logs / f"map_index={task.map_index}" if task.map_index >= 0 else logs
        console.print(f"[red]{run.day} {task.name} failed[/]: {airflow.page(DAG, run, task)}", soft_wrap=True)
        console.print(f"  {logs}/attempt={task.try_number}.log", soft_wrap=True)
    settled = {run.day for run in runs if run.state == "success"}
    days = [start + timedelta(days=number) for number in range((end - start).days + 1)]
    if unsettled := [str(day) for day in days if day not in settled]:
        raise PermanentFailure(f"not settled: {', '.join(unsettled)}")


def _followed(looks: Iterator[tuple[Run, ...]]) -> tuple[Run, ...]:
    """Show the runs while they go: a live table, or a line per change if the output is a pipe. Returns their last state."""
    runs: tuple[Run, ...] = ()
    told: dict[tuple[date, str], str | None] = {}
    with Live(console=console, refresh_per_second=2) if console.is_terminal else nullcontext() as live:
        for runs in looks:
            if live:
                live.update(_shown(runs))
                continue
            now = {(run.day, task.name): task.state for run in runs for task in run.tasks}
            for (day, task), state in now.items():
                if state in COLOURS and state != told.get((day, task)):
                    console.print(f"{datetime.now(UTC):%H:%M:%S} {day} {task}: {_state(state)}")
            told = now
    return runs


def _shown(runs: tuple[Run, ...]) -> Grid:
    """A row per night: how many of its tasks are done, and the state of those that are active or have failed."""
    grid = Grid("night of", "run", "done", "now")
    for run in runs:
        done = sum(task.state in DONE for task in run.tasks)
        going = sorted((task for task in run.tasks if task.state in COLOURS.keys() - DONE), key=_place)
        now = "\n".join(f"{task.name} {_state(task.state, task.try_number)}" for task in going)
        grid.add_row(str(run.day), _state(run.state), f"{done} of {len(run.tasks)}", now)
    return grid


def _place(task: Task) -> tuple[int, int]:
    """A sort key: the task's place in the order of the DAG, then its map index."""
    return (ORDER.index(task.task_id) if task.task_id in ORDER else len(ORDER), task.map_index)


def _state(state: str | None, tries: int = 1) -> str:
    said = "waits for approval" if state == "awaiting_input" else (state or "waits").replace("_", " ")
    again = f" (try {tries})" if tries > 1 else ""
    return f"[{COLOURS.get(state or '', 'dim')}]{said}{again}[/]"


def _on(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _before(day: date) -> datetime:
    """The last second before a day."""
    return _on(day) - timedelta(seconds=1)
