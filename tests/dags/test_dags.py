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
PEOPLE = "approve"
"""The task that waits for a person: it writes nothing, so it holds no slot, and no clock of a step ends it."""

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
            "ends_after": dag.dagrun_timeout.total_seconds(),
            "params": {name: dag.params.get_param(name).schema.get("type") for name in dag.params},
            "tasks": {
                task.task_id: {
                    "owner": task.owner,
                    "retries": task.retries,
                    "policy": type(task.retry_policy).__name__,
                    "pool": task.pool,
                    "timeout": task.execution_timeout.total_seconds() if task.execution_timeout else None,
                    "after": sorted(task.upstream_task_ids),
                    "rule": task.trigger_rule.value,
                    "mapped_by": task.map_index_template,
                    "is_mapped": next(task.iter_mapped_task_groups(), None) is not None,
                    "answer_within": getattr(getattr(task, "response_timeout", None), "total_seconds", lambda: None)(),
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
        [sys.executable, "-c", DESCRIBE, str(DAGS)], env=env, cwd=home, capture_output=True, text=True, timeout=300
    )
    line = next((line for line in said.stdout.splitlines() if line.startswith("FOUND")), None)
    assert line, said.stderr
    result: dict[str, Any] = json.loads(line.removeprefix("FOUND"))
    return result


def test_every_file_loads(found: dict[str, Any]) -> None:
    assert found["errors"] == {}
    assert "nightly" in found["dags"]


def test_only_files_with_a_dag_are_read_as_dags() -> None:
    """Airflow reads each file every two minutes, and keeps a log of that."""
    others = [file.name for file in sorted(DAGS.glob("*.py")) if "with DAG(" not in file.read_text()]
    assert (DAGS / ".airflowignore").read_text().split() == ["plugins/", *others]


def test_a_dag_tells_what_to_do_when_it_fails(found: dict[str, Any]) -> None:
    for name, dag in found["dags"].items():
        assert "### When it fails" in dag["doc"], name
        assert dag["tags"], name
        assert "### When it needs an approval" in dag["doc"], name
        for failure in (
            "unexplained", "log truncated", "lease held", "definition mismatch", "dbt test failed",
            "answer timed out", "other figures",
        ):  # fmt: skip
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
            assert task["policy"] == "ByExitCode", name
            assert task["retries"] == (0 if name == PEOPLE else 2), name
            assert bool(task["timeout"]) == (name != PEOPLE), name


def test_an_approval_times_out_before_the_next_run(found: dict[str, Any]) -> None:
    dag = found["dags"]["nightly"]
    task = dag["tasks"][PEOPLE]
    assert task["timeout"] is None, "a step's end would end the waiting"
    assert task["answer_within"] >= 8 * 3600
    steps = [task["timeout"] for task in dag["tasks"].values() if task["timeout"]]
    assert task["answer_within"] + max(steps) < dag["ends_after"] < 24 * 3600


def test_a_task_that_writes_waits_for_its_layers_one_slot(found: dict[str, Any]) -> None:
    pools = {name: task["pool"] for dag in found["dags"].values() for name, task in dag["tasks"].items()}
    assert pools.pop(PEOPLE) == "default_pool", "one who waits would hold the night"
    assert set(pools.values()) == POOLS
    for name, pool in pools.items():
        assert pool == ("gateway" if name.startswith("dbt_") else "night"), name


def test_steps_run_in_order_and_each_day_settles_by_itself(found: dict[str, Any]) -> None:
    tasks = found["dags"]["nightly"]["tasks"]
    assert {name: task["after"] for name, task in tasks.items()} == {
        "archive": [],
        "settle": ["archive"],
        "approve": ["archive", "settle"],
        "decide": ["approve", "archive"],
        "curve": ["settle"],
        "dbt_build": ["curve"],
        "dbt_docs": ["dbt_build"],
        "report": ["dbt_build"],
        "dbt_build_decided": ["decide"],
    }
    by_day = {name: task["mapped_by"] for name, task in tasks.items() if task["is_mapped"]}
    assert by_day == dict.fromkeys(("settle", "approve", "decide"), "{{ task.day }}")
    assert found["dags"]["nightly"]["params"] == {
        "full": "boolean",
        "gold_on": ["null", "string"],
        "backfill": ["null", "object"],
    }


def test_gold_is_built_every_night_and_again_after_an_answer(found: dict[str, Any]) -> None:
    rules = {name: task["rule"] for name, task in found["dags"]["nightly"]["tasks"].items()}
    assert (rules.pop("curve"), rules.pop("dbt_build_decided")) == ("none_failed", "none_failed_min_one_success")
    assert set(rules.values()) == {"all_success"}


def test_generation_covers_truth_and_gold(found: dict[str, Any]) -> None:
    tasks = found["dags"]["nightly"]["tasks"]
    marts = {f"x-daybreak://lake/gold/{mart.stem}" for mart in (ROOT / "dbt" / "models" / "marts").rglob("*.sql")}
    truth = {uri for uri in tasks["settle"]["outlets"] if uri.startswith("x-daybreak://lake/truth/")}
    assert "x-daybreak://lake/truth/order_totals" in truth
    assert set(tasks["dbt_build"]["outlets"]) == set(tasks["dbt_build_decided"]["outlets"]) == marts
    assert truth | {"x-daybreak://lake/reconciliation/decisions"} <= set(tasks["dbt_build"]["inlets"])


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
