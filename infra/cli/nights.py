"""Nights from the command line: one at once without Airflow, or a span of days through it.

Data flow: days -> `python -m batch night` and `curve`, or an Airflow backfill -> the state of every run and task
Run: daybreak backfill --from 2026-01-01 --to 2026-01-03
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import UTC, date, datetime, timedelta
from typing import Annotated

import typer
from rich.console import Console
from rich.live import Live
from rich.table import Table as Grid

from infra.airflow import Airflow, Run
from infra.failures import PermanentFailure
from infra.settings import ROOT, settings

commands = typer.Typer()
console = Console()

DAG = "nightly"
LATEST_START = timedelta(hours=2)
"""The night of a day starts two hours after the day's end (UTC): so the DAG's timetable has it."""

ORDER = ("archive", "truth", "reconcile", "correct", "curve", "dbt_build", "dbt_docs")
"""The DAG's tasks as they follow one another: Airflow's API does not give their order."""

COLOURS = {
    "success": "green",
    "failed": "bold red",
    "running": "yellow",
    "up_for_retry": "magenta",
    "upstream_failed": "red",
    "queued": "cyan",
    "scheduled": "cyan",
}

Full = Annotated[bool, typer.Option("--full", help="Redo the day even if nothing has changed since it was settled.")]


@commands.command()
def night(
    day: Annotated[str, typer.Option("--date", help="The day to settle (UTC), YYYY-MM-DD.")], full: Full = False
) -> None:
    """Settle one day without Airflow: archive, truth, reconcile, correct; then its curve."""
    options = ["--date", _date(day).isoformat(), *(["--full"] if full else [])]
    for step in ("night", "curve"):
        code = subprocess.run([sys.executable, "-m", "batch", step, *options], cwd=ROOT, check=False).returncode
        if code:
            raise typer.Exit(code)


@commands.command()
def backfill(
    first: Annotated[str, typer.Option("--from", help="First day (UTC), YYYY-MM-DD.")],
    last: Annotated[str, typer.Option("--to", help="Last day (UTC), YYYY-MM-DD.")],
    full: Full = False,
) -> None:
    """Settle a span of days through Airflow, gold and docs included; waits, and fails if a task fails."""
    start, end = _date(first), _date(last)
    if start > end:
        raise PermanentFailure(f"--from {start} is after --to {end}")
    due = datetime(end.year, end.month, end.day, tzinfo=UTC) + timedelta(days=1) + LATEST_START
    if due > datetime.now(UTC):
        raise PermanentFailure(
            f"the night of {end} is due at {due:%Y-%m-%d %H:%M} UTC: end with an earlier day, or use `daybreak night`"
        )
    since = datetime(start.year, start.month, start.day, tzinfo=UTC)
    until = datetime(end.year, end.month, end.day, 23, 59, 59, tzinfo=UTC)
    s = settings()
    airflow = Airflow(s)
    number = airflow.backfill(DAG, since, until, {"full": full})
    console.print(f"backfill {number}: {(end - start).days + 1} nights, to be seen at {s.airflow_url}/dags/{DAG}")
    runs = _followed(airflow.watch(DAG, since, until))
    failed = [(run, task) for run in runs for task in run.tasks if task.state == "failed"]
    for run, task in failed:
        logs = s.home / "airflow" / "logs" / f"dag_id={DAG}" / f"run_id={run.run_id}" / f"task_id={task.task_id}"
        console.print(f"[red]{run.day} {task.task_id} failed[/]: {airflow.page(DAG, run, task)}", soft_wrap=True)
        console.print(f"  {logs}/attempt={task.try_number}.log", soft_wrap=True)
    settled = {run.day for run in runs if run.state == "success"}
    days = [start + timedelta(days=number) for number in range((end - start).days + 1)]
    if unsettled := [str(day) for day in days if day not in settled]:
        raise PermanentFailure(f"not settled: {', '.join(unsettled)}")


def _followed(looks: Iterator[tuple[Run, ...]]) -> tuple[Run, ...]:
    """Show the runs as they go, and give them as they ended: a live table, or, in a pipe, a line per change."""
    runs: tuple[Run, ...] = ()
    told: dict[tuple[date, str], str | None] = {}
    with Live(console=console, refresh_per_second=2) if console.is_terminal else nullcontext() as live:
        for runs in looks:
            if live:
                live.update(_shown(runs))
                continue
            now = {(run.day, task.task_id): task.state for run in runs for task in run.tasks}
            for (day, task), state in now.items():
                if state in COLOURS and state != told.get((day, task)):
                    console.print(f"{datetime.now(UTC):%H:%M:%S} {day} {task}: {_state(state)}")
            told = now
    return runs


def _shown(runs: tuple[Run, ...]) -> Grid:
    """A row per night, a column per task, in the order in which they run."""
    longest = max((run.tasks for run in runs), key=len, default=())
    known = {name: place for place, name in enumerate(ORDER)}
    names = sorted((task.task_id for task in longest), key=lambda name: known.get(name, len(known)))
    grid = Grid("night of", "run", *names)
    for run in runs:
        states = {task.task_id: task for task in run.tasks}
        cells = [_state(states[name].state, states[name].try_number) if name in states else "" for name in names]
        grid.add_row(str(run.day), _state(run.state), *cells)
    return grid


def _state(state: str | None, tries: int = 1) -> str:
    said = (state or "waits").replace("_", " ")
    again = f" (try {tries})" if tries > 1 else ""
    return f"[{COLOURS.get(state or '', 'dim')}]{said}{again}[/]"


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise PermanentFailure(f"{text!r} is not a day: write it as YYYY-MM-DD") from None
