"""A run by hand, made of what the button asks for as Airflow's own API makes it, without a service: which day its tasks get.

Data flow: dags/, a request -> Airflow's dates of the run -> the templates of its tasks
Run: pytest tests/dags/test_by_hand.py
"""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

ASK = """
import json, sys, warnings
warnings.simplefilter("ignore")
from airflow.api_fastapi.core_api.datamodels.dag_run import TriggerDAGRunPostBody
from airflow.dag_processing.dagbag import DagBag
from airflow.sdk.api.datamodels._generated import DagRun
from airflow.serialization.serialized_objects import DagSerialization

dag = DagBag(sys.argv[1], load_op_links=False).dags["nightly"]
stored = DagSerialization.from_dict(DagSerialization.to_dict(dag))
found = {}
for name, logical in json.loads(sys.argv[2]).items():
    asked = TriggerDAGRunPostBody(dag_run_id=name, logical_date=logical).validate_context(stored)
    start, end = asked["data_interval"] or (None, None)
    nothing = dict.fromkeys(("start_date", "end_date", "partition_key"))
    run = DagRun(
        dag_id="nightly", run_id=name, logical_date=asked["logical_date"], data_interval_start=start, data_interval_end=end,
        run_after=asked["run_after"], run_type="manual", state="running", consumed_asset_events=[], **nothing,
    )
    said = {}
    for task_id, field in (("archive", "application_args"), ("report", "bash_command")):
        task = dag.get_task(task_id).prepare_for_execution()
        task.render_template_fields({"dag_run": run, "dag": dag, "params": {}, "task": task})
        said[task_id] = getattr(task, field)
    found[name] = [start and start.isoformat(), said]
print("FOUND" + json.dumps(found))
"""


def asked(tmp_path: Path, **runs: str | None) -> dict[str, Any]:
    """Per run the start of the interval that Airflow gives it, and what its tasks would do."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("AIRFLOW", "DAYBREAK"))}
    env = clean | {
        "AIRFLOW_HOME": str(tmp_path),
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{tmp_path}/airflow.db",
        "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "dags"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, "-c", ASK, str(ROOT / "dags"), json.dumps(runs)]
    said = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    line = next((line for line in said.stdout.splitlines() if line.startswith("FOUND")), None)
    assert line, said.stderr
    found: dict[str, Any] = json.loads(line.removeprefix("FOUND"))
    return found


def test_a_run_by_hand_settles_yesterday_or_the_day_entered(tmp_path: Path) -> None:
    found = asked(tmp_path, button=None, dated="2026-01-31T00:00:00Z", again="2026-01-30T02:00:00Z")
    yesterday = datetime.now(UTC).date() - timedelta(days=1)
    for name, day in (("button", str(yesterday)), ("dated", "2026-01-31"), ("again", "2026-01-30")):
        _, said = found[name]
        assert said["archive"][1:3] == ["--date", day], name
        assert said["report"].endswith(f"--date {day}"), name
    # Why Airflow's interval is not asked: without a date there is none, and with one it is the interval before it.
    assert found["button"][0] is None
    assert found["dated"][0].startswith("2026-01-29T02:00")
