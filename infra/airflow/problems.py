"""What is wrong with the nights in Airflow: the DAG is paused, or a task failed and nothing has made up for it since.

Data flow: Airflow's API, settled days -> Problem
Run: daybreak status --problems
"""

from collections.abc import Collection, Sequence
from datetime import date

from infra.airflow.runs import ENDED, Run, Task
from infra.problems import Problem

RUNS = 10
"""So many of the last runs are looked at."""
OF_FAILURE = ("failed", "upstream_failed")
OF_A_DAY = ("archive", "settle", "approve", "decide")
"""Tasks whose failure is over once the day is settled, in whatever way."""


def paused(dag: str, is_paused: bool, runs: Sequence[Run]) -> list[Problem]:
    """A DAG that has run and does not any more, or whose runs wait. Before the first one it is paused by design."""
    if not (is_paused and runs):
        return []
    waiting = sum(not run.has_ended for run in runs)
    what = f"the DAG {dag} is paused: no night comes by itself" + (
        f", and {waiting} asked for by hand wait" if waiting else ""
    )
    return [
        Problem(f"night.paused/{dag}", what, "unpause it in Airflow, or run `daybreak backfill`, which unpauses it")
    ]


def failed(runs: Sequence[Run], settled: Collection[date], address: str) -> list[Problem]:
    """Tasks that failed when they ran last. `runs`: the newest first; `address`: Airflow's."""
    last: dict[str, tuple[Run, Task]] = {}
    for run in runs:
        for task in run.tasks:
            if task.state in ENDED:
                last.setdefault(task.name, (run, task))
    found = []
    for name, (run, task) in last.items():
        if task.state == "failed" and not (task.task_id in OF_A_DAY and _day(run, task) in settled):
            what = f"task {name} of the night of {run.day} failed, and has not succeeded since"
            mend = f"see its log at {address}/dags/nightly/runs/{run.run_id}; mend the cause, then clear the task"
            found.append(Problem(f"night.task/{name.replace(' ', '.')}", what, mend))
    return found


def unended(runs: Sequence[Run], settled: Collection[date]) -> list[Problem]:
    """A night that Airflow ended without a task of it failing: it took longer than a run may, and its tasks count as skipped."""
    last = next((run for run in runs if run.has_ended), None)
    if last is None or last.state != "failed" or any(task.state in OF_FAILURE for task in last.tasks):
        return []
    if last.day in settled:
        return []
    what = f"the night of {last.day} was ended before its tasks were done: it took longer than a run may take"
    return [Problem("night.ended-early", what, f"daybreak backfill --from {last.day} --to {last.day}")]


def _day(run: Run, task: Task) -> date:
    """A mapped task is named after its day."""
    try:
        return date.fromisoformat(task.map_name or "")
    except ValueError:
        return run.day
