"""Who may do what with Airflow: what a test asks its API as every user, with who may.

Data flow: TRIES -> tests on Airflow's API, a table of infra/README.md
Run: pytest tests/dags/test_roles.py tests/platform/served/test_09_roles.py

A request that is let in may still be answered that there is no such run, or that it says too little: nothing is destroyed here.
"""

from dataclasses import dataclass
from typing import Any

from infra.airflow_settings import AirflowUser
from infra.marked_page import made_anew
from infra.rights_table import table

MARKERS = (
    "<!-- who may do what with Airflow: made by make catalog -->",
    "<!-- end of who may do what with Airflow -->",
)
API, DAG = "/api/v2", "/api/v2/dags/nightly"
RUN = f"{DAG}/dagRuns/no-such-run"
TASK = f"{RUN}/taskInstances/approval"
EVERY = f"{DAG}/dagRuns/~/taskInstances"
CONNECTION = {"connection_id": "tried", "conn_type": "http"}


@dataclass(frozen=True)
class Try:
    """Requests to Airflow, all of one kind, and who may send them: method, path, body."""

    what: str
    may: tuple[AirflowUser, ...]
    requests: tuple[tuple[str, str, Any], ...]


def gets(*paths: str) -> tuple[tuple[str, str, Any], ...]:
    """To read each of these."""
    return tuple(("GET", path, None) for path in paths)


def many(action: str, entity: dict[str, Any] | str) -> dict[str, Any]:
    """The body of a request for many things at once."""
    return {"actions": [{"action": action, "entities": [entity]}]}


ALL, ON_DUTY, ADMIN = tuple(AirflowUser), (AirflowUser.OPERATOR, AirflowUser.ADMIN), (AirflowUser.ADMIN,)
TRIES = (
    Try("see DAGs, runs, tasks and their results", ALL, gets(DAG, f"{DAG}/dagRuns", EVERY, f"{TASK}/xcomEntries")),
    Try("read a task's log", ALL, gets(f"{TASK}/logs/1")),
    Try("see reports, the lab and the dbt docs", ALL, gets("/reconciliation/", "/lab/", "/dbt-docs/")),
    Try("see what waits for an approval", ALL, gets(f"{DAG}/dagRuns/~/hitlDetails")),
    Try("approve or reject a day", ON_DUTY, (("PATCH", f"{TASK}/-1/hitlDetails", {"chosen_options": ["Approve"]}),)),
    Try("trigger a DAG", ON_DUTY, (("POST", f"{DAG}/dagRuns", {"logical_date": "no date"}),)),
    Try("backfill", ON_DUTY, (("POST", f"{API}/backfills", {"dag_id": "nightly"}),)),
    Try("pause a DAG", ON_DUTY, (("PATCH", DAG, {"is_paused": "perhaps"}),)),
    Try(
        "redo tasks, set a run's state or note",
        ON_DUTY,
        (("POST", f"{DAG}/clearTaskInstances", {"dry_run": "perhaps"}), ("PATCH", RUN, {"note": "x"})),
    ),
    Try(
        "delete a DAG, a run, a task of one",
        ADMIN,
        (
            ("DELETE", f"{API}/dags/no-such-dag", None),
            ("DELETE", RUN, None),
            ("DELETE", TASK, None),
            ("PATCH", f"{DAG}/dagRuns", many("delete", {"dag_run_id": "no-such-run", "dag_id": "nightly"})),
        ),
    ),
    Try(
        "write what a task has said (XCom)",
        ADMIN,
        (
            ("POST", f"{TASK}/xcomEntries", {"key": "return_value", "value": {"answer": "approve", "by": "ann"}}),
            ("PATCH", f"{TASK}/xcomEntries/return_value", {"value": {"answer": "approve", "by": "ann"}}),
            ("DELETE", f"{TASK}/xcomEntries/return_value", None),
        ),
    ),
    Try(
        "see or change connections",
        ADMIN,
        (
            *gets(f"{API}/connections", f"{API}/connections/spark_default"),
            ("POST", f"{API}/connections", CONNECTION),
            ("PATCH", f"{API}/connections", many("create", CONNECTION)),
            ("DELETE", f"{API}/connections/tried", None),
        ),
    ),
    Try(
        "see or change variables",
        ADMIN,
        (
            *gets(f"{API}/variables"),
            ("POST", f"{API}/variables", {"key": "tried", "value": "x"}),
            ("DELETE", f"{API}/variables/tried", None),
        ),
    ),
    Try(
        "change pools",
        ADMIN,
        (("POST", f"{API}/pools", {"name": "tried", "slots": 1}), ("DELETE", f"{API}/pools/tried", None)),
    ),
    Try("see Airflow's configuration", (), gets(f"{API}/config")),
)


def page(text: str) -> str:
    """The page with a new table. Raises ValueError where the markers are missing."""
    return made_anew(text, MARKERS, table(TRIES, AirflowUser))
