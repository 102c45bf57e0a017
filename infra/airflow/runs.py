"""What Airflow reports of a backfill: its runs, their tasks, and open approval requests.

Data flow: infra/airflow/client -> Run, Task, ApprovalRequest -> commands
Run: pytest tests/infra/test_airflow.py
"""

from dataclasses import dataclass
from datetime import date

ENDED = frozenset({"success", "failed"})


@dataclass(frozen=True)
class Task:
    """A task of a run; `state` is None until it is scheduled.

    An instance of a mapped task has a number, and a name from the DAG: a day.
    """

    task_id: str
    state: str | None
    try_number: int
    map_index: int = -1
    map_name: str | None = None

    @property
    def name(self) -> str:
        """The task's id; for a mapped task also which instance."""
        return self.task_id if self.map_index < 0 else f"{self.task_id} {self.map_name or self.map_index}"


@dataclass(frozen=True)
class Run:
    """A run of a DAG for the day on which its data interval starts; `seconds` from its start to its end, None before."""

    run_id: str
    day: date
    state: str
    tasks: tuple[Task, ...]
    seconds: float | None = None

    @property
    def has_ended(self) -> bool:
        """Has it succeeded or failed for good?"""
        return self.state in ENDED


@dataclass(frozen=True)
class ApprovalRequest:
    """A task of a run that waits for a person's answer; `about` is the name of the mapped task: a day."""

    run_id: str
    task_id: str
    map_index: int
    about: str
    subject: str
    body: str
    options: tuple[str, ...]
