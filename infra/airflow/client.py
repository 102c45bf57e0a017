"""A wrapper around Airflow's Python client: backfills, their runs, and answers to approval requests.

Data flow: DAG id and days -> backfill -> runs and their tasks, until all have ended; an open request -> an answer
Run: daybreak backfill --from 2026-01-01 --to 2026-01-03

Importing it takes a second, so commands import it only when they use it.
"""

import json
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import httpx
from airflow_client.client import ApiClient, Configuration
from airflow_client.client.api import BackfillApi, DAGApi, DagRunApi, TaskInstanceApi
from airflow_client.client.exceptions import ApiException, NotFoundException
from airflow_client.client.models import (
    BackfillPostBody,
    DAGPatchBody,
    ReprocessBehavior,
    UpdateHITLDetailPayload,
)
from pydantic import ValidationError
from urllib3.exceptions import HTTPError

from infra.airflow.responses import as_request, as_run, as_task
from infra.airflow.runs import ApprovalRequest, Run, Task
from infra.failures import PermanentFailure, TransientFailure
from infra.settings import Settings
from infra.tls.trust import context
from infra.tls_settings import ca_file

POLL_SECONDS = 2.0
GONE_SECONDS = 120.0
"""How long to wait for an Airflow that does not answer (its API restarts, a DAG is not parsed yet)."""
ANSWER_SECONDS = 30.0
PAGE = 100


class Airflow:
    """A logged-in client. Raises TransientFailure if Airflow does not answer, PermanentFailure if it refuses."""

    def __init__(self, s: Settings) -> None:
        self._url = s.airflow_url
        ours = str(ca_file(s.home)) if context(s, "airflow_url") else None
        own = Configuration(host=s.airflow_url, access_token=self._token(s), retries=0, ssl_ca_cert=ours)
        api = ApiClient(own)
        self._backfills, self._dags = BackfillApi(api), DAGApi(api)
        self._runs, self._tasks = DagRunApi(api), TaskInstanceApi(api)

    def backfill(self, dag: str, first: datetime, last: datetime, conf: dict[str, Any]) -> int:
        """Create a backfill of the runs from `first` to `last` (inclusive), one at a time, and return its id.

        Runs that have ended are run again. A paused DAG is unpaused only afterwards: otherwise Airflow would start its
        latest run by itself, ahead of the older days.
        """
        self._wait_for_dag(dag)
        found = self._created(
            BackfillPostBody(
                dag_id=dag,
                from_date=first,
                to_date=last,
                max_active_runs=1,
                reprocess_behavior=ReprocessBehavior.COMPLETED,
                dag_run_conf=conf,
            )
        )
        # The response is the whole DAG, whose fields differ between versions; none is needed here.
        patch = DAGPatchBody(is_paused=False)
        self._ask(self._dags.patch_dag_without_preload_content, dag, patch, update_mask=["is_paused"])
        return found

    def runs(self, dag: str, first: datetime, last: datetime) -> tuple[Run, ...]:
        """The runs with a logical date from `first` to `last`, oldest first, with their tasks as they are now."""
        span = {"logical_date_gte": first, "logical_date_lte": last}
        found = self._all(self._runs.get_dag_runs, "dag_runs", dag, order_by=["logical_date"], **span)
        tasks: dict[str, list[Task]] = {}
        for task in self._all(self._tasks.get_task_instances, "task_instances", dag, "~", **span):
            tasks.setdefault(task.dag_run_id, []).append(as_task(task))
        return tuple(as_run(run, tuple(tasks.get(run.dag_run_id, ()))) for run in found)

    def watch(self, dag: str, first: datetime, last: datetime) -> Iterator[tuple[Run, ...]]:
        """Yield the runs repeatedly until all have ended; waits up to GONE_SECONDS if Airflow does not answer."""
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

    def open_backfills(self, dag: str) -> list[tuple[datetime, datetime]]:
        """First and last date of each open backfill; Airflow closes one up to a minute after its runs have ended."""
        listed = self._all(self._backfills.list_backfills, "backfills", dag)
        return [(one.from_date, one.to_date) for one in listed if one.completed_at is None]

    def is_paused(self, dag: str) -> bool:
        """Does the DAG start no runs by itself?"""
        # The whole response differs between versions.
        answer = self._ask(self._dags.get_dag_without_preload_content, dag)
        return bool(json.loads(answer.data)["is_paused"])

    def last_runs(self, dag: str, number: int) -> list[Run]:
        """The DAG's last runs, at most so many, with their tasks; the newest first."""
        listed = self._ask(self._runs.get_dag_runs, dag, order_by=["-run_after"], limit=number).dag_runs
        return [
            as_run(
                one,
                tuple(map(as_task, self._all(self._tasks.get_task_instances, "task_instances", dag, one.dag_run_id))),
            )
            for one in listed
        ]

    def page(self, dag: str, run: Run, task: Task) -> str:
        """URL of a task's log."""
        mapped = f"/mapped/{task.map_index}" if task.map_index >= 0 else ""
        return f"{self._url}/dags/{dag}/runs/{run.run_id}/tasks/{task.task_id}{mapped}"

    def requests(self, dag: str) -> tuple[ApprovalRequest, ...]:
        """The open approval requests of the DAG's runs, oldest first."""
        which = {"response_received": False, "state": ["awaiting_input"], "order_by": ["created_at"]}
        found = self._all(self._tasks.get_hitl_details, "hitl_details", dag, "~", **which)
        return tuple(as_request(one) for one in found)

    def answer(self, dag: str, request: ApprovalRequest, option: str, params: dict[str, Any]) -> None:
        """Answer a request. Raises TransientFailure if it has been answered already, PermanentFailure if refused."""
        at = (dag, request.run_id, request.task_id, request.map_index)
        said = UpdateHITLDetailPayload(chosen_options=[option], params_input=params)
        self._ask(self._tasks.update_hitl_detail, *at, said)

    def _created(self, body: BackfillPostBody) -> int:
        """Create a backfill. If all runs of an open one have ended, wait until Airflow closes it (half a minute)."""
        give_up = time.monotonic() + GONE_SECONDS
        while True:
            try:
                return int(self._ask(self._backfills.create_backfill, body).id)
            except TransientFailure:
                if time.monotonic() > give_up or not self._is_over(body.dag_id):
                    raise
            time.sleep(POLL_SECONDS)

    def _is_over(self, dag: str) -> bool:
        """Is there a backfill that Airflow holds open though all of its runs have ended?"""
        held = self.open_backfills(dag)
        return bool(held) and all(run.has_ended for begins, ends in held for run in self.runs(dag, begins, ends))

    def _wait_for_dag(self, dag: str) -> None:
        """Wait until the DAG processor has read the DAG."""
        give_up = time.monotonic() + GONE_SECONDS
        while True:
            try:
                self._ask(self._runs.get_dag_runs, dag, limit=1)
                return
            except PermanentFailure as refused:
                if not isinstance(refused.__cause__, NotFoundException):
                    raise
            if time.monotonic() > give_up:
                raise TransientFailure(f"Airflow has not read the DAG {dag!r} (daybreak logs airflow-dag-processor)")
            time.sleep(POLL_SECONDS)

    def _all(self, ask: Callable[..., Any], of: str, *which: str, **more: Any) -> list[Any]:
        """Every page of a listing."""
        found: list[Any] = []
        while True:
            page = self._ask(ask, *which, limit=PAGE, offset=len(found), **more)
            found += getattr(page, of)
            if len(found) >= (page.total_entries or 0) or not getattr(page, of):
                return found

    def _ask(self, ask: Callable[..., Any], *which: Any, **more: Any) -> Any:
        what = ask.__name__.removesuffix("_without_preload_content").replace("_", " ")
        try:
            answer = ask(*which, _request_timeout=ANSWER_SECONDS, **more)
            # The client does not check the status of a response that it does not parse.
            if getattr(answer, "status", 200) >= 400:
                raise ApiException(status=answer.status, reason=answer.reason, body=answer.data.decode())
            return answer
        except ApiException as refused:
            if refused.status is None or refused.status >= 500 or refused.status == 409:
                raise TransientFailure(f"Airflow cannot {what} now: {_detail(refused)}") from refused
            raise PermanentFailure(f"Airflow refuses to {what}: {_detail(refused)}") from refused
        except (HTTPError, OSError) as failure:
            raise TransientFailure(f"Airflow does not answer at {self._url}: {failure}") from failure
        except ValidationError as failure:
            raise PermanentFailure(
                f"Airflow at {self._url} is of another version than its Python client: {failure}"
            ) from failure

    def _token(self, s: Settings) -> str:
        """Log in and return the token; the client has no method for that, since the auth manager does it."""
        login = {"username": s.airflow_user, "password": s.airflow_password.get_secret_value()}
        try:
            trusted = context(s, "airflow_url") or True
            answer = httpx.post(f"{s.airflow_url}/auth/token", json=login, timeout=ANSWER_SECONDS, verify=trusted)
        except httpx.TransportError as failure:
            raise TransientFailure(f"Airflow does not answer at {s.airflow_url}: {failure}") from failure
        if answer.status_code >= 500:
            raise TransientFailure(f"Airflow cannot log in now: {answer.reason_phrase}")
        if answer.is_error:
            raise PermanentFailure(
                f"Airflow refuses the login as {s.airflow_user}: {answer.text} (daybreak connect airflow shows how to log in)"
            )
        return str(answer.json()["access_token"])


def _detail(refused: ApiException) -> str:
    """What Airflow gives as the reason."""
    try:
        said = json.loads(refused.body or "")
    except ValueError:
        return f"{refused.status} {refused.reason}"
    return str(said.get("detail", said) if isinstance(said, dict) else said)
