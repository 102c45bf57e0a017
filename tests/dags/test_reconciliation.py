"""The page in Airflow's own API server, on an empty database: who may see it, and which report a run shows.

Data flow: dags/plugins/ -> Airflow's FastAPI app, without a service -> what it answers
Run: pytest tests/dags/test_reconciliation.py
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
RUN = "backfill__2026-02-01T02:00:00+00:00"

ASK = """
import json, sys, warnings
from datetime import UTC, datetime, timedelta
warnings.simplefilter("ignore")
from airflow import settings
from airflow.models import import_all_models
from airflow.models.base import Base
import_all_models()
settings.configure_orm()
Base.metadata.create_all(settings.engine)
from airflow.api_fastapi.app import create_app, get_auth_manager
from airflow.api_fastapi.auth.managers.simple.user import SimpleAuthManagerUser
from airflow.models.dagrun import DagRun
from airflow.utils.session import create_session
from airflow.utils.state import DagRunState
from airflow.utils.types import DagRunType
from fastapi.testclient import TestClient

start = datetime(2026, 1, 31, 2, tzinfo=UTC)
with create_session() as session:
    for name, dag in ((sys.argv[1], "nightly"), ("another", "another")):
        session.add(DagRun(
            dag_id=dag, run_id=name, logical_date=start, data_interval=(start, start + timedelta(days=1)),
            run_after=start + timedelta(days=1), run_type=DagRunType.SCHEDULED, state=DagRunState.SUCCESS,
        ))
app = create_app(apps="core")
found = {}
for role in ("viewer", None, "nobody"):
    asker = TestClient(app, follow_redirects=False)
    if role != "nobody":
        asker.cookies.set("_token", get_auth_manager().generate_jwt(SimpleAuthManagerUser(username="a", role=role)))
    for path in json.loads(sys.argv[2]):
        answer = asker.get(path)
        found[f"{role} {path}"] = [answer.status_code, answer.headers.get("location"), answer.text]
print("FOUND" + json.dumps(found))
"""
PATHS = {
    "newest": "/reconciliation/",
    "day": "/reconciliation/2026-01-31.html",
    "no report": "/reconciliation/2026-01-30.html",
    "no day": "/reconciliation/secrets.html",
    "run": "/reconciliation/run?dag_id=nightly&run_id=backfill__2026-02-01T02%3A00%3A00%2B00%3A00",
    "no run": "/reconciliation/run?dag_id=nightly&run_id=%3Cb%3E",
    "another dag": "/reconciliation/run?dag_id=another&run_id=another",
    "night": "/reconciliation/night/2026-01-31",
    "no night": "/reconciliation/night/2026-01-30",
    "plugins": "/api/v2/plugins",
    "errors": "/api/v2/plugins/importErrors",
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """Status, location and text of every path, per role."""
    home = tmp_path_factory.mktemp("airflow")
    (home / "reports").mkdir()
    for day in ("2026-01-29", "2026-01-31"):
        (home / "reports" / f"{day}.html").write_text(f"the report of {day}")
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("AIRFLOW", "DAYBREAK"))}
    env = clean | {
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{home}/airflow.db",
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__DAGS_FOLDER": str(home),
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(ROOT / "dags" / "plugins"),
        "AIRFLOW__API_AUTH__JWT_SECRET": "only for this test, and long enough to be one: " + "x" * 32,
        "DAYBREAK_HOME": str(home),
    }
    ask = [sys.executable, "-c", ASK, RUN, json.dumps(list(PATHS.values()))]
    said = subprocess.run(ask, env=env, cwd=home, capture_output=True, text=True, timeout=300)
    line = next((line for line in said.stdout.splitlines() if line.startswith("FOUND")), None)
    assert line, said.stderr
    result: dict[str, list[Any]] = json.loads(line.removeprefix("FOUND"))
    return result


def test_who_may_not_see_the_runs_may_not_see_the_reports(found: dict[str, list[Any]]) -> None:
    own = [path for path in PATHS.values() if path.startswith("/reconciliation/")]
    assert {found[f"nobody {path}"][0] for path in own} == {401}
    assert {found[f"None {path}"][0] for path in own} == {403}


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("newest", "the report of 2026-01-31"),
        ("day", "the report of 2026-01-31"),
        ("run", "the report of 2026-01-31"),
        ("no report", "<h1>No report of 2026-01-30 yet</h1>"),
        ("no run", "The run <code>&lt;b&gt;</code> is unknown or has no day."),
        ("another dag", "Only runs of the DAG <code>nightly</code> have reports."),
    ],
)
def test_a_reader_sees_the_report_or_why_there_is_none(found: dict[str, list[Any]], path: str, said: str) -> None:
    status, _, text = found[f"viewer {PATHS[path]}"]
    assert status == 200
    assert said in text


def test_only_days_are_files(found: dict[str, list[Any]]) -> None:
    assert found[f"viewer {PATHS['no day']}"][0] == 422


def test_a_night_leads_to_its_run(found: dict[str, list[Any]]) -> None:
    led = {name: found[f"viewer {PATHS[name]}"][:2] for name in ("night", "no night")}
    assert led == {
        "night": [307, "/dags/nightly/runs/backfill__2026-02-01T02%3A00%3A00%2B00%3A00"],
        "no night": [307, "/dags/nightly/runs"],
    }


def test_the_page_is_in_the_menu_and_on_every_run(found: dict[str, list[Any]]) -> None:
    assert json.loads(found[f"viewer {PATHS['errors']}"][2]) == {"import_errors": [], "total_entries": 0}
    plugins = json.loads(found[f"viewer {PATHS['plugins']}"][2])["plugins"]
    menu = {view["name"] for one in plugins for view in one["external_views"] if view["destination"] == "nav"}
    assert menu == {"Nights", "Lab", "dbt docs"}
    views = {
        view["destination"]: view
        for one in plugins
        if one["name"] == "reconciliation"
        for view in one["external_views"]
    }
    assert views.keys() == {"nav", "dag_run"}
    assert views["dag_run"]["href"].endswith("run?dag_id={DAG_ID}&run_id={RUN_ID}")
