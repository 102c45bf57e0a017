"""Airflow's REST API, as far as a backfill and an answer need it.

Data flow: DAG id and days -> backfill -> runs and their tasks, until all have ended; an open question -> an answer
Run: daybreak backfill --from 2026-01-01 --to 2026-01-03
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import httpx

from infra.failures import PermanentFailure, TransientFailure
from infra.settings import Settings

POLL_SECONDS = 2.0
GONE_SECONDS = 120.0
"""How long Airflow may be silent (its API restarts, a DAG is not parsed yet) before waiting for it ends."""

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
class ApprovalRequest:
    """What a task of a run waits to be told by a person; `about` is the name of the mapped task: a day."""

    run_id: str
    task_id: str
    map_index: int
    about: str
    subject: str
    body: str
    options: tuple[str, ...]


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


class Airflow:
    """A logged-in client. Raises TransientFailure if Airflow does not answer, PermanentFailure if it refuses."""

    def __init__(self, s: Settings) -> None:
        self._url = s.airflow_url
        self._client = httpx.Client(base_url=s.airflow_url, timeout=30)
        login = {"username": s.airflow_user, "password": s.airflow_password.get_secret_value()}
        token = self._ask("POST", "/auth/token", json=login)["access_token"]
        self._client.headers["Authorization"] = f"Bearer {token}"

    def backfill(self, dag: str, first: datetime, last: datetime, conf: dict[str, Any]) -> int:
        """Create a backfill of the runs from `first` to `last` (inclusive), one at a time, and return its id.

        Runs that have ended are done again. A paused DAG is unpaused only afterwards: one that is unpaused without its
        latest run makes that run by itself, ahead of the older days.
        """
        self._known(dag)
        body = {
            "dag_id": dag,
            "from_date": first.isoformat(),
            "to_date": last.isoformat(),
            "max_active_runs": 1,
            "reprocess_behavior": "completed",
            "dag_run_conf": conf,
        }
        created = self._created(dag, body)
        self._ask("PATCH", f"/api/v2/dags/{dag}", params={"update_mask": "is_paused"}, json={"is_paused": False})
        return int(created["id"])

    def runs(self, dag: str, first: datetime, last: datetime) -> tuple[Run, ...]:
        """The runs with a logical date from `first` to `last`, oldest first, with their tasks as they are now."""
        span = {"logical_date_gte": first.isoformat(), "logical_date_lte": last.isoformat()}
        own = f"/api/v2/dags/{dag}/dagRuns"
        found = self._all(own, "dag_runs", span | {"order_by": "logical_date"})
        tasks: dict[str, list[Task]] = {}
        for task in self._all(f"{own}/~/taskInstances", "task_instances", span):
            one = Task(
                task["task_id"],
                task["state"],
                task["try_number"],
                task.get("map_index", -1),
                task.get("rendered_map_index"),
            )
            tasks.setdefault(task["dag_run_id"], []).append(one)
        return tuple(_run(run, tuple(tasks.get(run["dag_run_id"], ()))) for run in found)

    def watch(self, dag: str, first: datetime, last: datetime) -> Iterator[tuple[Run, ...]]:
        """The runs, again and again, until all of them have ended; a short silence of Airflow is waited out."""
        heard = time.monotonic()
        while True:
            try:
                runs = self.runs(dag, first, last)
                heard = time.monotonic()
            except TransientFailure:
                if time.monotonic() - heard > GONE_SECONDS:
                    raise
            else:
                yield runs
                if runs and all(run.has_ended for run in runs):
                    return
            time.sleep(POLL_SECONDS)

    def page(self, dag: str, run: Run, task: Task) -> str:
        """Where a task's log is to be read."""
        mapped = f"/mapped/{task.map_index}" if task.map_index >= 0 else ""
        return f"{self._url}/dags/{dag}/runs/{run.run_id}/tasks/{task.task_id}{mapped}"

    def questions(self, dag: str) -> tuple[ApprovalRequest, ...]:
        """What the DAG's runs wait to be told, oldest first."""
        found = self._all(
            f"/api/v2/dags/{dag}/dagRuns/~/hitlDetails",
            "hitl_details",
            {"response_received": False, "state": "awaiting_input", "order_by": "created_at"},
        )
        return tuple(_question(one) for one in found)

    def answer(self, dag: str, question: ApprovalRequest, option: str, params: dict[str, Any]) -> None:
        """Answer a question. Raises TransientFailure if it has been answered already, PermanentFailure if refused."""
        own = f"/api/v2/dags/{dag}/dagRuns/{question.run_id}/taskInstances/{question.task_id}/{question.map_index}"
        self._ask("PATCH", f"{own}/hitlDetails", json={"chosen_options": [option], "params_input": params})

    def _created(self, dag: str, body: dict[str, Any]) -> dict[str, Any]:
        """Create a backfill; behind one whose runs have all ended, when Airflow has noticed, which takes it half a minute."""
        give_up = time.monotonic() + GONE_SECONDS
        while True:
            try:
                return self._ask("POST", "/api/v2/backfills", json=body)
            except TransientFailure:
                if time.monotonic() > give_up or not self._is_over(dag):
                    raise
            time.sleep(POLL_SECONDS)

    def _is_over(self, dag: str) -> bool:
        """Is there a backfill that Airflow holds open though all of its runs have ended?"""
        found = self._all("/api/v2/backfills", "backfills", {"dag_id": dag})
        held = [one for one in found if one["completed_at"] is None]
        spans = [(datetime.fromisoformat(one["from_date"]), datetime.fromisoformat(one["to_date"])) for one in held]
        return bool(held) and all(run.has_ended for span in spans for run in self.runs(dag, *span))

    def _known(self, dag: str) -> None:
        """Wait until the DAG processor has read the DAG."""
        give_up = time.monotonic() + GONE_SECONDS
        while not any(found["dag_id"] == dag for found in self._all("/api/v2/dags", "dags", {"dag_id_pattern": dag})):
            if time.monotonic() > give_up:
                raise TransientFailure(f"Airflow has not read the DAG {dag!r} (daybreak logs airflow-dag-processor)")
            time.sleep(POLL_SECONDS)

    def _all(self, path: str, key: str, params: dict[str, Any]) -> list[dict[str, Any]]:
        """Every page of a listing."""
        found: list[dict[str, Any]] = []
        while True:
            answer = self._ask("GET", path, params=params | {"limit": 100, "offset": len(found)})
            found += answer[key]
            if len(found) >= answer["total_entries"] or not answer[key]:
                return found

    def _ask(self, method: str, path: str, **request: Any) -> dict[str, Any]:
        try:
            answer = self._client.request(method, path, **request)
        except httpx.TransportError as failure:
            said = str(failure) or type(failure).__name__
            raise TransientFailure(f"Airflow does not answer at {self._url}: {said}") from failure
        if answer.status_code >= 500 or answer.status_code == 409:
            raise TransientFailure(f"Airflow cannot do {method} {path} now: {_detail(answer)}")
        if answer.is_error:
            raise PermanentFailure(f"Airflow refuses {method} {path}: {_detail(answer)}")
        found: dict[str, Any] = answer.json()
        return found


def _detail(answer: httpx.Response) -> str:
    """What Airflow gives as the reason."""
    if "json" in answer.headers.get("content-type", ""):
        said = answer.json()
        return str(said.get("detail", said) if isinstance(said, dict) else said)
    return f"{answer.status_code} {answer.reason_phrase}"


def _run(run: dict[str, Any], tasks: tuple[Task, ...]) -> Run:
    return Run(run["dag_run_id"], datetime.fromisoformat(run["data_interval_start"]).date(), run["state"], tasks)


def _question(found: dict[str, Any]) -> ApprovalRequest:
    task = found["task_instance"]
    return ApprovalRequest(
        task["dag_run_id"],
        task["task_id"],
        task["map_index"],
        task["rendered_map_index"] or "",
        found["subject"],
        found["body"] or "",
        tuple(found["options"]),
    )
