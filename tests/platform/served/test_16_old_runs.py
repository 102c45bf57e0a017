"""Airflow's database does not grow for ever: runs and entries of its log go when they are old, all others stay."""

from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from approval import Story

from infra.airflow import old_runs
from infra.postgres_login import conninfo
from infra.postgres_roles import Role

pytestmark = pytest.mark.platform

RUN = (
    "INSERT INTO dag_run (dag_id, run_id, run_type, state, run_after, start_date) "
    "VALUES ('nightly', %(name)s, 'manual', 'success', %(at)s, %(at)s)"
)
ENTRY = "INSERT INTO log (event, dttm) VALUES (%(name)s, %(at)s)"
NAMES = "SELECT run_id FROM dag_run UNION ALL SELECT 'log ' || event FROM log"


def test_what_is_old_in_airflows_database_goes_and_all_else_stays(story: Story) -> None:
    s, now = story.platform.settings, datetime.now(UTC)
    with psycopg.connect(conninfo(s, Role.AIRFLOW, "airflow"), autocommit=True) as database:
        before = {name for (name,) in database.execute(NAMES)}
        assert any(name.startswith("backfill__") for name in before)
        # Not so old that it is worth a start of `airflow`.
        young = {"name": "young", "at": now - timedelta(days=s.airflow_keep_days + old_runs.TOGETHER_DAYS - 1)}
        database.execute(ENTRY, young)
        assert old_runs.remove_old(s) == 0
        old = {"name": "old", "at": now - timedelta(days=s.airflow_keep_days + old_runs.TOGETHER_DAYS + 1)}
        kept = {"name": "kept", "at": now - timedelta(days=s.airflow_keep_days - 1)}
        for one in (old, kept):
            database.execute(RUN, one)
            database.execute(ENTRY, one)
        assert old_runs.remove_old(s) == 1
        after = {name for (name,) in database.execute(NAMES)}
        assert after >= before | {"kept", "log kept"}
        assert not after & {"old", "log old", "log young"}
        # Nothing that was removed is kept in a table beside.
        beside = database.execute("SELECT tablename FROM pg_tables WHERE tablename LIKE '_airflow_deleted%'")
        assert beside.fetchall() == []
        database.execute("DELETE FROM dag_run WHERE run_id = 'kept'")
