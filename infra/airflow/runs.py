"""What Airflow tells of a backfill: runs, their tasks, and what they wait for a person to answer.

Data flow: infra/airflow/client -> Run, Task, ApprovalRequest -> commands
Run: pytest tests/infra/test_airflow.py
"""

from dataclasses import dataclass
from datetime import date

ENDED = frozenset({"success", "failed"})


@dataclass(frozen=True)
class Task:
    """A task of a run; `state` is None until it is scheduled.

    One of a mapped task's has a number, and the name that the DAG gives it: a day.
    """

    task_id: str
    state: str | None
    try_number: int
    map_index: int = -1
    map_name: str | None = None

    @property
    def name(self) -> str:
        """The task, and which of a mapped one."""
        return self.task_id if self.map_index < 0 else f"{self.task_id} {self.map_name or self.map_index}"


@dataclass(frozen=True)
class Run:
    """A run of a DAG for the day on which its data interval starts."""

    run_id: str
    day: date
    state: str
    tasks: tuple[Task, ...]

    @property
    def has_ended(self) -> bool:
        """Has it succeeded or failed for good?"""
        return self.state in ENDED


@dataclass(frozen=True)
class ApprovalRequest:
    """What a task of a run waits to be told by a person; `about` is the name of the mapped task: a day."""

    run_id: str
    task_id: str
    map_index: int
    about: str
    subject: str
    body: str
    options: tuple[str, ...]
