"""Airflow's database keeps each run, task, result and entry of its log for ever: the old ones are removed, by Airflow itself.

Data flow: Airflow's database -> what is younger than DAYBREAK_AIRFLOW_KEEP_DAYS
Run: python -m batch upkeep
Source: Airflow 3.3, "airflow db clean"; the newest run of each DAG stays, because the scheduler counts from it.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg

from infra.postgres_login import conninfo
from infra.postgres_roles import Role
from infra.services import airflow
from infra.settings import Settings

TOGETHER_DAYS = 30
"""A start of `airflow` takes seconds of CPU, so that the old of so many days goes at once."""
RUNS = "SELECT count(*) FROM dag_run"
OLDEST = "SELECT min(dttm) FROM log"
"""Of the log alone: there no newest row stays for ever."""


def remove_old(s: Settings, now: datetime | None = None) -> int:
    """Remove what is too old, if there is enough of it; the number of runs that went. Nothing of an Airflow of yours.

    Raises TransientFailure if Airflow's command fails.
    """
    if not s.embedded("airflow_url") or not airflow.is_prepared(s):
        return 0
    oldest = (now or datetime.now(UTC)) - timedelta(days=s.airflow_keep_days)
    with psycopg.connect(conninfo(s, Role.AIRFLOW, "airflow"), autocommit=True) as database:
        first = _asked(database, OLDEST)
        if first is None or first > oldest - timedelta(days=TOGETHER_DAYS):
            return 0
        before = _asked(database, RUNS)
        options = ("--skip-archive", "--error-on-cleanup-failure", "--yes")
        airflow.run(s, "db", "clean", "--clean-before-timestamp", oldest.isoformat(), *options)
        return int(before - _asked(database, RUNS))


def _asked(database: psycopg.Connection[tuple[Any, ...]], question: str) -> Any:
    (answer,) = database.execute(question).fetchall()
    return answer[0]
