"""Who may do what with Airflow, as its own API answers: each role asks everything, without a service.

Data flow: infra/airflow/rights.py -> Airflow's FastAPI app on an empty database -> its answers
Run: pytest tests/dags/test_roles.py
"""

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from infra.airflow import rights, users
from infra.airflow_settings import AirflowUser
from infra.services.airflow import environment
from infra.settings import ROOT, load

pytestmark = pytest.mark.slow

ASK = """
import json, sys, warnings
warnings.simplefilter("ignore")
from airflow import settings
from airflow.models import import_all_models
from airflow.models.base import Base
import_all_models()
settings.configure_orm()
Base.metadata.create_all(settings.engine)
from airflow.api_fastapi.app import create_app, get_auth_manager
from airflow.api_fastapi.auth.managers.simple.user import SimpleAuthManagerUser
from fastapi.testclient import TestClient
app = create_app(apps="core")
found = {}
for role in (*sys.argv[2:], "nobody"):
    asker = TestClient(app, follow_redirects=False, raise_server_exceptions=False)
    if role != "nobody":
        token = get_auth_manager().generate_jwt(SimpleAuthManagerUser(username=role, role=role))
        asker.headers["Authorization"] = f"Bearer {token}"
    for what, requests in json.loads(sys.argv[1]):
        found[f"{role} {what}"] = [asker.request(how, path, json=body).status_code for how, path, body in requests]
print("FOUND" + json.dumps(found))
"""
REFUSED = {401, 403}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[int]]:
    """The status of each answer, by role and try."""
    home: Path = tmp_path_factory.mktemp("airflow")
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("AIRFLOW", "DAYBREAK"))}
    env = (
        clean
        | environment(load().model_copy(update={"home": home}))
        | {
            "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{home}/airflow.db",
            "AIRFLOW__DATABASE__SQL_ALCHEMY_POOL_SIZE": "5",
            "AIRFLOW__API_AUTH__JWT_SECRET": "only for this test, and long enough to be one: " + "x" * 32,
            "DAYBREAK_HOME": str(home),
            "PYTHONPATH": str(ROOT),
        }
    )
    tries = json.dumps([[one.what, asdict(one)["requests"]] for one in rights.TRIES])
    ask = [sys.executable, "-c", ASK, tries, *users.ROLES.values()]
    said = subprocess.run(ask, env=env, cwd=home, capture_output=True, text=True, timeout=300)
    line = next((line for line in said.stdout.splitlines() if line.startswith("FOUND")), None)
    assert line, said.stderr
    result: dict[str, list[int]] = json.loads(line.removeprefix("FOUND"))
    return result


def test_each_role_may_do_what_the_table_says(found: dict[str, list[int]]) -> None:
    pairs = [(one, user, found[f"{users.ROLES[user]} {one.what}"]) for one in rights.TRIES for user in AirflowUser]
    wrong = [
        (one.what, user, said)
        for one, user, said in pairs
        if [code in REFUSED for code in said] != [user not in one.may] * len(one.requests)
    ]
    assert wrong == []
    assert len(pairs) >= 40


def test_who_has_not_logged_in_may_do_nothing(found: dict[str, list[int]]) -> None:
    assert {code for one in rights.TRIES for code in found[f"nobody {one.what}"]} == {401}
