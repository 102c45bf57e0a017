"""The client of Airflow's API: what it sends, when it waits, what it says when it is refused.

Data flow: an Airflow in memory -> client -> runs
Run: pytest tests/infra/test_airflow.py
"""

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import httpx
import pytest

from infra import airflow
from infra.airflow import Airflow, ApprovalRequest, Run, Task
from infra.failures import PermanentFailure, TransientFailure
from infra.settings import Settings

SINCE, UNTIL = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, 23, 59, 59, tzinfo=UTC)
TASKS = (Task("archive", None, 0), Task("settle", None, 0, 0, "2025-12-30"))
Handler = Callable[[httpx.Request], httpx.Response]


class Answers:
    """An Airflow that has one run, which ends after it has been looked at twice."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, Any]] = []
        self.looks = 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content) if request.content else None
        path = request.url.path
        self.asked.append((request.method, path, body))
        if path == "/auth/token":
            return httpx.Response(201, json={"access_token": "t"})
        assert request.headers["Authorization"] == "Bearer t"
        if path == "/api/v2/dags":
            return httpx.Response(200, json={"dags": [{"dag_id": "nightly"}], "total_entries": 1})
        if path == "/api/v2/backfills":
            return httpx.Response(200, json={"id": 7})
        if path == "/api/v2/dags/nightly":
            return httpx.Response(200, json={})
        if path.endswith("taskInstances"):
            one = {"dag_run_id": "r", "state": None, "try_number": 0}
            tasks = [
                one | {"task_id": "archive", "map_index": -1, "rendered_map_index": None},
                one | {"task_id": "settle", "map_index": 0, "rendered_map_index": "2025-12-30"},
            ]
            return httpx.Response(200, json={"task_instances": tasks, "total_entries": 2})
        if path.endswith("/dagRuns/~/hitlDetails"):
            asked = {"dag_run_id": "r", "task_id": "approve", "map_index": 0, "rendered_map_index": "2025-12-30"}
            detail = {"task_instance": asked, "subject": "Settle?", "body": None, "options": ["Approve", "Reject"]}
            return httpx.Response(200, json={"hitl_details": [detail], "total_entries": 1})
        if path.endswith("/hitlDetails"):
            return httpx.Response(200, json={})
        self.looks += 1
        if self.looks == 2:
            return httpx.Response(503, text="restarting")
        state = "running" if self.looks < 3 else "success"
        run = {"dag_run_id": "r", "data_interval_start": "2026-01-01T02:00:00Z", "state": state}
        return httpx.Response(200, json={"dag_runs": [run], "total_entries": 1})


def client(monkeypatch: pytest.MonkeyPatch, handler: Handler) -> Airflow:
    real = httpx.Client
    monkeypatch.setattr(airflow.httpx, "Client", lambda **more: real(transport=httpx.MockTransport(handler), **more))
    monkeypatch.setattr(airflow, "POLL_SECONDS", 0)
    return Airflow(Settings(airflow_url="http://airflow.test", airflow_password="secret"))  # type: ignore[arg-type]


def test_a_backfill_redoes_days_and_unpauses_only_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = Answers()
    assert client(monkeypatch, answers).backfill("nightly", SINCE, UNTIL, {"full": True}) == 7
    created, unpaused = answers.asked[-2:]
    assert created[:2] == ("POST", "/api/v2/backfills")
    assert created[2] == {
        "dag_id": "nightly",
        "from_date": "2026-01-01T00:00:00+00:00",
        "to_date": "2026-01-02T23:59:59+00:00",
        "max_active_runs": 1,
        "reprocess_behavior": "completed",
        "dag_run_conf": {"full": True},
    }
    assert unpaused == ("PATCH", "/api/v2/dags/nightly", {"is_paused": False})


def test_watching_ends_with_the_runs_and_survives_a_restart_of_airflow(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = list(client(monkeypatch, Answers()).watch("nightly", SINCE, UNTIL))
    assert [[run.state for run in runs] for runs in seen] == [["running"], ["success"]]
    assert seen[-1] == (Run("r", date(2026, 1, 1), "success", TASKS),)


def test_watching_gives_up_when_airflow_stays_away(monkeypatch: pytest.MonkeyPatch) -> None:
    own = client(monkeypatch, Answers())
    monkeypatch.setattr(airflow, "GONE_SECONDS", -1)
    with pytest.raises(TransientFailure, match="503"):
        list(own.watch("nightly", SINCE, UNTIL))


def test_a_refusal_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PermanentFailure, match="Airflow refuses POST /auth/token: Invalid credentials"):
        client(monkeypatch, lambda request: httpx.Response(401, json={"detail": "Invalid credentials"}))


class Busy:
    """An Airflow that holds a backfill open: its run has ended when it was looked at three times, and then it lets go."""

    def __init__(self, looks: int) -> None:
        self.answers = Answers()
        self.answers.looks = looks
        self.refused = 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path != "/api/v2/backfills":
            return self.answers(request)
        if request.method == "POST" and self.refused < 2:
            self.refused += 1
            return httpx.Response(409, json={"detail": "There is already a running backfill for dag nightly"})
        if request.method == "POST":
            return httpx.Response(200, json={"id": 8})
        held = {"from_date": "2026-01-01T00:00:00Z", "to_date": "2026-01-01T23:59:59Z", "completed_at": None}
        return httpx.Response(200, json={"backfills": [held], "total_entries": 1})


def test_a_backfill_beside_a_running_one_is_worth_another_try(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TransientFailure, match="already a running backfill"):
        client(monkeypatch, Busy(looks=0)).backfill("nightly", SINCE, UNTIL, {})


def test_a_backfill_right_after_another_waits_until_airflow_closes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    busy = Busy(looks=3)
    assert client(monkeypatch, busy).backfill("nightly", SINCE, UNTIL, {}) == 8
    assert busy.refused == 2


def test_no_airflow_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("Connection refused")

    with pytest.raises(TransientFailure, match=r"does not answer at http://airflow\.test: Connection refused"):
        client(monkeypatch, nobody)


def test_a_task_of_a_day_is_named_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [task.name for task in TASKS] == ["archive", "settle 2025-12-30"]
    own, run = client(monkeypatch, Answers()), Run("r", date(2026, 1, 1), "success", TASKS)
    assert [own.page("nightly", run, task) for task in TASKS] == [
        "http://airflow.test/dags/nightly/runs/r/tasks/archive",
        "http://airflow.test/dags/nightly/runs/r/tasks/settle/mapped/0",
    ]


def test_an_open_question_is_found_by_its_day_and_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = Answers()
    own = client(monkeypatch, answers)
    (asked,) = own.questions("nightly")
    assert asked == ApprovalRequest("r", "approve", 0, "2025-12-30", "Settle?", "", ("Approve", "Reject"))
    own.answer("nightly", asked, "Reject", {"note": "no"})
    assert answers.asked[-1] == (
        "PATCH",
        "/api/v2/dags/nightly/dagRuns/r/taskInstances/approve/0/hitlDetails",
        {"chosen_options": ["Reject"], "params_input": {"note": "no"}},
    )
