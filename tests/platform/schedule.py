"""Airflow's own schedule, kept out of the tests: the first unpausing would start last night's run beside those asked for.

Data flow: the DAG, still paused -> a run of last night that has ended
Run: pytest tests/platform/served/test_08_approval.py
"""

from datetime import UTC, datetime, timedelta

import httpx
from running import Platform, until

from infra.tls.trust import context

NIGHTLY = "/api/v2/dags/nightly"
AT = timedelta(hours=2)
"""When the DAG's nights begin, UTC."""


def skip_last_night(platform: Platform) -> None:
    """The schedule finds last night's run made, and ended. Nothing, once the DAG has been unpaused."""
    s = platform.settings
    login = {"username": s.airflow_user, "password": s.airflow_password.get_secret_value()}
    trusted = context(s, "airflow_url") or True
    with httpx.Client(base_url=s.airflow_url, timeout=60, trust_env=False, verify=trusted) as airflow:
        token = airflow.post("/auth/token", json=login).raise_for_status().json()["access_token"]
        airflow.headers["Authorization"] = f"Bearer {token}"
        until("Airflow has read the DAG", lambda: airflow.get(NIGHTLY).is_success)
        if not airflow.get(NIGHTLY).json()["is_paused"]:
            return
        now = datetime.now(UTC)
        end = (now - AT).replace(hour=0, minute=0, second=0, microsecond=0) + AT
        start = (end - timedelta(days=1)).isoformat()
        run = {"dag_run_id": "skipped", "logical_date": start, "data_interval_start": start}
        run |= {"data_interval_end": end.isoformat(), "run_after": end.isoformat()}
        airflow.post(f"{NIGHTLY}/dagRuns", json=run).raise_for_status()
        airflow.patch(f"{NIGHTLY}/dagRuns/skipped", json={"state": "success"}).raise_for_status()
