"""The labs' page in Airflow: the newest results, or how to get some; its entry stands beside the nights'.

Data flow: dags/plugins/lab.py, loaded in a process of its own -> its answers
Run: pytest tests/dags/test_lab.py
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]

ASK = """
import importlib.util, json, sys
from pathlib import Path
spec = importlib.util.spec_from_file_location("lab", sys.argv[1])
plugin = importlib.util.module_from_spec(spec)
spec.loader.exec_module(plugin)
from fastapi.testclient import TestClient
plugin.app.dependency_overrides[plugin.LOGGED_IN] = lambda: None
asker = TestClient(plugin.app)
before = asker.get("/")
home = Path(sys.argv[2]) / "lab"
home.mkdir()
(home / "index.html").write_text("the newest results")
after = asker.get("/")
print("FOUND" + json.dumps({
    "before": [before.status_code, before.text],
    "after": [after.status_code, after.text, after.headers["cache-control"]],
    "policies": [one.headers["content-security-policy"] for one in (before, after)],
    "views": plugin.Lab.external_views,
    "apps": [app["url_prefix"] for app in plugin.Lab.fastapi_apps],
}))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    home = tmp_path_factory.mktemp("airflow")
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("AIRFLOW", "DAYBREAK"))}
    env = clean | {
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{home}/airflow.db",
        "DAYBREAK_HOME": str(home),
        "PYTHONPATH": str(ROOT),
    }
    ask = [sys.executable, "-c", ASK, str(ROOT / "dags" / "plugins" / "lab.py"), str(home)]
    said = subprocess.run(ask, env=env, cwd=home, capture_output=True, text=True, timeout=300)
    line = next((line for line in said.stdout.splitlines() if line.startswith("FOUND")), None)
    assert line, said.stderr
    result: dict[str, Any] = json.loads(line.removeprefix("FOUND"))
    return result


def test_before_the_first_lab_the_page_names_the_commands(found: dict[str, Any]) -> None:
    status, text = found["before"]
    assert status == 200
    assert "<code>daybreak lab delivery</code>" in text
    assert "<code>daybreak lab groups</code>" in text


def test_the_newest_results_are_served_and_never_an_old_copy(found: dict[str, Any]) -> None:
    assert found["after"] == [200, "the newest results", "no-cache"]


def test_no_other_site_frames_it_and_what_has_no_script_runs_none(found: dict[str, Any]) -> None:
    before, after = found["policies"]
    assert before.startswith("default-src 'none'; style-src 'unsafe-inline';")
    assert "frame-ancestors 'self'" in before
    # The page itself says what it may run.
    assert after == "frame-ancestors 'self'"


def test_its_entry_stands_in_the_menu_beside_the_nights(found: dict[str, Any]) -> None:
    (view,) = found["views"]
    assert (view["name"], view["destination"], view["nav_top_level"]) == ("Lab", "nav", True)
    assert [view["href"]] == [f"{prefix}/" for prefix in found["apps"]]
