"""Every DAG is fit to be run at night by someone who did not write it.

Data flow: dags/ -> Airflow's own parser, on an empty home without a service -> what it found
Run: pytest tests/dags/test_dags.py
"""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
DAGS = ROOT / "dags"
POOLS = {"night", "gateway"}

DESCRIBE = """
import json, sys
from airflow.dag_processing.dagbag import DagBag

bag = DagBag(sys.argv[1], load_op_links=False)
print("FOUND" + json.dumps({
    "errors": bag.import_errors,
    "dags": {
        dag.dag_id: {
            "doc": dag.doc_md or "",
            "tags": sorted(dag.tags),
            "timetable": type(dag.timetable).__name__,
            "catchup": dag.catchup,
            "at_once": dag.max_active_runs,
            "start": dag.start_date.isoformat() if dag.start_date else None,
            "paused": dag.is_paused_upon_creation,
            "backfillable": not dag.timetable.__class__.__name__.startswith("Asset"),
            "params": {name: dag.params.get_param(name).schema.get("type") for name in dag.params},
            "tasks": {
                task.task_id: {
                    "owner": task.owner,
                    "retries": task.retries,
                    "policy": type(task.retry_policy).__name__,
                    "pool": task.pool,
                    "timeout": task.execution_timeout.total_seconds() if task.execution_timeout else None,
                    "after": sorted(task.upstream_task_ids),
                    "inlets": [asset.uri for asset in task.inlets],
                    "outlets": [asset.uri for asset in task.outlets],
                }
                for task in dag.tasks
            },
        }
        for dag in bag.dags.values()
    },
}))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What Airflow makes of the folder."""
    home = tmp_path_factory.mktemp("airflow")
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("AIRFLOW", "DAYBREAK"))}
    env = clean | {
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{home}/airflow.db",
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "PYTHONPATH": str(ROOT),
    }
    said = subprocess.run(
        [sys.executable, "-c", DESCRIBE, str(DAGS)], env=env, cwd=home, capture_output=True, text=True, timeout=120
    )
    line = next((line for line in said.stdout.splitlines() if line.startswith("FOUND")), None)
    assert line, said.stderr
    result: dict[str, Any] = json.loads(line.removeprefix("FOUND"))
    return result


def test_every_file_loads(found: dict[str, Any]) -> None:
    assert found["errors"] == {}
    assert "nightly" in found["dags"]


def test_plugins_are_not_read_as_dags() -> None:
    assert "plugins/" in (DAGS / ".airflowignore").read_text().split()


def test_a_dag_tells_what_to_do_when_it_fails(found: dict[str, Any]) -> None:
    for name, dag in found["dags"].items():
        assert "### When it fails" in dag["doc"], name
        assert dag["tags"], name
        for failure in ("unexplained", "log truncated", "lease held", "definition mismatch", "dbt test failed"):
            assert failure in dag["doc"], f"{name} has no triage note for {failure!r}"


def test_a_dag_can_be_backfilled_day_by_day(found: dict[str, Any]) -> None:
    for name, dag in found["dags"].items():
        assert dag["timetable"] == "CronDataIntervalTimetable", name
        assert dag["start"], name
        assert dag["start"] < "2021", f"{name}: days before its start cannot be backfilled"
        assert (dag["catchup"], dag["at_once"], dag["paused"]) == (False, 1, True), name


def test_a_task_has_an_owner_retries_by_failure_type_and_an_end(found: dict[str, Any]) -> None:
    for dag in found["dags"].values():
        for name, task in dag["tasks"].items():
            assert task["owner"] not in ("", "airflow"), name
            assert task["retries"] == 2, name
            assert task["policy"] == "ByExitCode", name
            assert task["timeout"], name


def test_a_task_that_writes_waits_for_its_layers_one_slot(found: dict[str, Any]) -> None:
    pools = {name: task["pool"] for dag in found["dags"].values() for name, task in dag["tasks"].items()}
    assert set(pools.values()) == POOLS
    for name, pool in pools.items():
        assert pool == ("gateway" if name.startswith("dbt_") else "night"), name


def test_the_night_runs_its_steps_one_after_the_other(found: dict[str, Any]) -> None:
    tasks = found["dags"]["nightly"]["tasks"]
    order = ["archive", "truth", "reconcile", "correct", "curve", "dbt_build", "dbt_docs"]
    assert {name: task["after"] for name, task in tasks.items()} == {
        name: order[place - 1 : place] if place else [] for place, name in enumerate(order)
    }
    assert found["dags"]["nightly"]["params"] == {"full": "boolean"}


def test_lineage_covers_truth_and_gold(found: dict[str, Any]) -> None:
    tasks = found["dags"]["nightly"]["tasks"]
    marts = {f"x-daybreak://lake/gold/{mart.stem}" for mart in (ROOT / "dbt" / "models" / "marts").glob("*.sql")}
    assert "x-daybreak://lake/truth/order_totals" in tasks["truth"]["outlets"]
    assert set(tasks["dbt_build"]["outlets"]) == marts
    assert set(tasks["truth"]["outlets"]) <= set(tasks["dbt_build"]["inlets"])


@pytest.mark.parametrize("file", sorted(DAGS.rglob("*.py")), ids=lambda file: file.name)
def test_a_dag_file_imports_nothing_of_ours(file: Path) -> None:
    imported = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add((node.module or "").split(".")[0])
    allowed = sys.stdlib_module_names | {"airflow", "fastapi", "yaml", "dags"}
    assert imported <= allowed, f"{file.name} imports {sorted(imported - allowed)}"
