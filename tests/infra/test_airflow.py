"""The client of Airflow's API: what it sends, when it waits, what it says when it is refused.

Data flow: a server on loopback that answers as Airflow does -> client -> runs
Run: pytest tests/infra/test_airflow.py
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from airflow_client.client.models import DAGRunResponse

from infra.airflow import client as module
from infra.airflow.client import Airflow
from infra.airflow.responses import as_run
from infra.airflow.runs import ApprovalRequest, Run, Task
from infra.failures import PermanentFailure, TransientFailure
from infra.settings import Settings

SINCE, UNTIL = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, 23, 59, 59, tzinfo=UTC)
NOW = "2026-01-03T00:00:00Z"
TASKS = (Task("archive", None, 0), Task("settle", None, 0, 0, "2025-12-30"))
BACKFILL = {
    **{"id": 7, "dag_id": "nightly", "dag_display_name": "nightly", "dag_run_conf": {}, "is_paused": False},
    **{"from_date": "2026-01-01T00:00:00Z", "to_date": "2026-01-01T23:59:59Z", "max_active_runs": 1},
    **{"reprocess_behavior": "completed", "created_at": NOW, "updated_at": NOW, "completed_at": None},
}
TASK = {
    **{
        "id": "00000000-0000-0000-0000-000000000001",
        "dag_id": "nightly",
        "dag_display_name": "nightly",
        "dag_run_id": "r",
    },
    **{"executor_config": "{}", "max_tries": 2, "pool": "night", "pool_slots": 1, "run_after": NOW, "try_number": 0},
}
Answer = tuple[int, Any]
"""Status and body; a body that is text is sent as such."""
Handler = Callable[[str, str, Any], Answer]


def task(name: str, index: int = -1, day: str | None = None) -> dict[str, Any]:
    return TASK | {"task_id": name, "task_display_name": name, "map_index": index, "rendered_map_index": day}


class Answers:
    """An Airflow that has one run, which ends after it has been looked at twice."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, Any]] = []
        self.looks = 0

    def __call__(self, method: str, path: str, body: Any) -> Answer:
        self.asked.append((method, path, body))
        if path == "/api/v2/backfills":
            return 200, BACKFILL
        if path == "/api/v2/dags/nightly":
            return 200, {"is_paused": method == "GET"}
        if path.endswith("taskInstances"):
            return 200, {
                "task_instances": [task("archive"), task("settle", 0, "2025-12-30")],
                "total_entries": 2,
            }
        if path.endswith("/dagRuns/~/hitlDetails"):
            asked = {"task_instance": task("approve", 0, "2025-12-30"), "subject": "Settle?", "created_at": NOW}
            return 200, {"hitl_details": [asked | {"options": ["Approve", "Reject"]}], "total_entries": 1}
        if path.endswith("/hitlDetails"):
            answered = {"responded_by": {"id": "1", "name": "a"}, "responded_at": NOW, "chosen_options": ["Reject"]}
            return 200, answered | {"params_input": {}}
        self.looks += 1
        if self.looks == 2:
            return 503, "restarting"
        run = {
            **{"dag_id": "nightly", "dag_display_name": "nightly", "dag_run_id": "r", "dag_versions": []},
            **{"data_interval_start": "2026-01-01T02:00:00Z", "run_after": NOW, "run_type": "backfill"},
            "state": "running" if self.looks < 3 else "success",
        }
        return 200, {"dag_runs": [run], "total_entries": 1}


@contextmanager
def served(handler: Handler) -> Iterator[str]:
    """The address of a server that answers so, and that lets everyone log in."""

    class Requests(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self._answer()

        def do_GET(self) -> None:
            self._answer()

        def do_PATCH(self) -> None:
            self._answer()

        def _answer(self) -> None:
            sent = self.rfile.read(int(self.headers.get("content-length") or 0))
            path = self.path.split("?")[0]
            if path == "/auth/token" and not isinstance(handler, Stranger):
                status, body = 201, {"access_token": "t"}
            else:
                assert path == "/auth/token" or self.headers["Authorization"] == "Bearer t"
                status, body = handler(self.command, path, json.loads(sent) if sent else None)
            self.send_response(status)
            self.send_header("content-type", "text/plain" if isinstance(body, str) else "application/json")
            self.end_headers()
            self.wfile.write((body if isinstance(body, str) else json.dumps(body)).encode())

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Requests)
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Stranger:
    """An Airflow that does not know who logs in."""

    def __call__(self, method: str, path: str, body: Any) -> Answer:
        return 401, {"detail": "Invalid credentials"}


@contextmanager
def client(handler: Handler) -> Iterator[Airflow]:
    with served(handler) as address:
        yield Airflow(Settings(airflow_url=address, airflow_password="secret"))  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "POLL_SECONDS", 0)


def test_a_backfill_redoes_days_and_unpauses_only_afterwards() -> None:
    answers = Answers()
    with client(answers) as own:
        assert own.backfill("nightly", SINCE, UNTIL, {"full": True}) == 7
    created, unpaused = answers.asked[-2:]
    assert created[:2] == ("POST", "/api/v2/backfills")
    days = [datetime.fromisoformat(created[2].pop(name)) for name in ("from_date", "to_date")]
    assert days == [SINCE, UNTIL]
    assert created[2] == {
        "dag_id": "nightly",
        "max_active_runs": 1,
        "reprocess_behavior": "completed",
        "run_backwards": False,
        "dag_run_conf": {"full": True},
    }
    assert unpaused == ("PATCH", "/api/v2/dags/nightly", {"is_paused": False})


def test_watching_ends_with_the_runs_and_survives_a_restart_of_airflow() -> None:
    with client(Answers()) as own:
        seen = list(own.watch("nightly", SINCE, UNTIL))
    assert [[run.state for run in runs] for runs in seen] == [["running"], ["success"]]
    assert seen[-1] == (Run("r", date(2026, 1, 1), "success", TASKS),)


def test_watching_gives_up_when_airflow_stays_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "GONE_SECONDS", -1)
    with client(Answers()) as own, pytest.raises(TransientFailure, match="cannot get dag runs now: 503"):
        list(own.watch("nightly", SINCE, UNTIL))


def test_a_refusal_is_one_sentence() -> None:
    with (
        pytest.raises(PermanentFailure, match=r"Airflow refuses the login as .*Invalid credentials"),
        client(Stranger()),
    ):
        pass


class Busy:
    """An Airflow that holds a backfill open: its run has ended when it was looked at three times, and then it lets go."""

    def __init__(self, looks: int) -> None:
        self.answers = Answers()
        self.answers.looks = looks
        self.refused = 0

    def __call__(self, method: str, path: str, body: Any) -> Answer:
        if path != "/api/v2/backfills":
            return self.answers(method, path, body)
        if method == "GET":
            return 200, {"backfills": [BACKFILL], "total_entries": 1}
        if self.refused < 2:
            self.refused += 1
            return 409, {"detail": "There is already a running backfill for dag nightly"}
        return 200, BACKFILL | {"id": 8}


def test_a_backfill_beside_a_running_one_is_worth_another_try() -> None:
    busy = Busy(looks=-5)
    with client(busy) as own, pytest.raises(TransientFailure, match="already a running backfill"):
        own.backfill("nightly", SINCE, UNTIL, {})
    assert busy.refused == 1


def test_a_backfill_right_after_another_waits_until_airflow_closes_it() -> None:
    busy = Busy(looks=3)
    with client(busy) as own:
        assert own.backfill("nightly", SINCE, UNTIL, {}) == 8
    assert busy.refused == 2


def test_a_dag_that_is_never_read_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "GONE_SECONDS", -1)

    def empty(method: str, path: str, body: Any) -> Answer:
        return 404, {"detail": "no such DAG"}

    with client(empty) as own, pytest.raises(TransientFailure, match="has not read the DAG 'nightly'"):
        own.backfill("nightly", SINCE, UNTIL, {})


def test_no_airflow_is_one_sentence() -> None:
    with client(Answers()) as own:
        pass
    with pytest.raises(TransientFailure, match=r"Airflow does not answer at http://127\.0\.0\.1:\d+: "):
        own.requests("nightly")
    with pytest.raises(TransientFailure, match=r"does not answer at http://127\.0\.0\.1:1: "):
        Airflow(Settings(airflow_url="http://127.0.0.1:1", airflow_password="secret"))  # type: ignore[arg-type]


def test_an_airflow_that_answers_otherwise_is_named() -> None:
    def other(method: str, path: str, body: Any) -> Answer:
        return 200, {"dag_runs": [{"dag_run_id": 3}], "total_entries": 1}

    with client(other) as own, pytest.raises(PermanentFailure, match="of another version than its Python client"):
        own.runs("nightly", SINCE, UNTIL)


def test_a_task_of_a_day_is_named_by_it() -> None:
    assert [task.name for task in TASKS] == ["archive", "settle 2025-12-30"]
    with client(Answers()) as own:
        pages = [own.page("nightly", Run("r", date(2026, 1, 1), "success", TASKS), task) for task in TASKS]
    assert [page.split("/", 3)[3] for page in pages] == [
        "dags/nightly/runs/r/tasks/archive",
        "dags/nightly/runs/r/tasks/settle/mapped/0",
    ]


def test_an_open_question_is_found_by_its_day_and_answered() -> None:
    answers = Answers()
    with client(answers) as own:
        (asked,) = own.requests("nightly")
        assert asked == ApprovalRequest("r", "approve", 0, "2025-12-30", "Settle?", "", ("Approve", "Reject"))
        own.answer("nightly", asked, "Reject", {"note": "no"})
    assert answers.asked[-1] == (
        "PATCH",
        "/api/v2/dags/nightly/dagRuns/r/taskInstances/approve/0/hitlDetails",
        {"chosen_options": ["Reject"], "params_input": {"note": "no"}},
    )


def test_a_dags_last_runs_are_read_with_their_tasks() -> None:
    answers = Answers()
    answers.looks = 9
    with served(answers) as url:
        airflow = Airflow(Settings(airflow_url=url))
        assert airflow.is_paused("nightly")
        (run,) = airflow.last_runs("nightly", 10)
    assert (run.run_id, run.day, run.has_ended, run.tasks) == ("r", date(2026, 1, 1), True, TASKS)


@pytest.mark.parametrize(
    ("logical", "day"), [("2026-01-02T00:00:00Z", date(2026, 1, 2)), (None, date(2026, 1, 2))], ids=["dated", "button"]
)
def test_a_run_by_hand_is_of_the_day_that_a_person_means(logical: str | None, day: date) -> None:
    start = "2025-12-31T02:00:00Z" if logical else None
    asked = {
        **{"dag_id": "nightly", "dag_display_name": "nightly", "dag_run_id": "r", "dag_versions": []},
        **{
            "data_interval_start": start,
            "logical_date": logical,
            "run_after": NOW,
            "run_type": "manual",
            "state": "success",
        },
    }
    assert as_run(DAGRunResponse.from_dict(asked), ()).day == day


@pytest.mark.parametrize(("end", "seconds"), [(NOW, 512.5), (None, None)], ids=["ended", "running"])
def test_a_run_has_its_seconds_once_it_has_ended(end: str | None, seconds: float | None) -> None:
    asked = {
        **{"dag_id": "nightly", "dag_display_name": "nightly", "dag_run_id": "r", "dag_versions": []},
        **{"run_after": NOW, "run_type": "manual", "state": "success", "end_date": end, "duration": 512.5},
    }
    assert as_run(DAGRunResponse.from_dict(asked), ()).seconds == seconds
