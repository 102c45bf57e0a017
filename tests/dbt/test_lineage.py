"""A build of gold says what dbt did, from dbt's own artifacts, and names tables as the stream and the night do."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from infra.failures import PermanentFailure
from infra.settings import Settings
from infra.sql.lineage import of_build

Event = Mapping[str, Any]


@pytest.fixture
def s(dbt_home: Path, nodes: object, tmp_path: Path) -> Settings:
    """Of a home with dbt's manifest, and the results of a build of all models, of which one failed."""
    target = tmp_path / "dbt" / "target"
    target.mkdir(parents=True)
    artifacts = {
        name: json.loads((dbt_home / "dbt/target" / name).read_text()) for name in ("manifest.json", "run_results.json")
    }
    results = artifacts["run_results.json"]
    results["args"]["which"] = "build"
    for one in results["results"]:
        kind, _, name = one["unique_id"].split(".")[:3]
        one["status"] = "pass" if kind == "test" else "error" if name == "fct_order_payments" else "success"
        one["failures"] = 0 if kind == "test" else None
    for name, found in artifacts.items():
        (target / name).write_text(json.dumps(found))
    return Settings(home=tmp_path, lineage=f"{tmp_path}/told", gateway_port=1, bucket="lake")


def told(s: Settings) -> list[Event]:
    return [json.loads(line) for file in Path(s.lineage).iterdir() for line in file.read_text().splitlines()]


def names(datasets: list[Event]) -> set[tuple[str, str]]:
    return {(one["namespace"], one["name"]) for one in datasets}


def test_each_model_is_a_run_in_the_build_of_gold(s: Settings) -> None:
    with of_build(s) as said:
        said.ran()
    events = told(s)
    assert [one["eventType"] for one in events if one["job"]["name"] == "gold"] == ["START", "COMPLETE"]
    gold = events[0]["run"]["runId"]
    inner = [one for one in events if one["job"]["name"] != "gold"]
    assert {one["run"]["facets"]["parent"]["run"]["runId"] for one in inner} == {gold}
    ends = {one["job"]["name"]: one for one in inner if one["eventType"] in ("COMPLETE", "FAIL")}
    totals = ends["gold.daybreak.fct_order_totals.build.run"]
    assert names(totals["outputs"]) == {("s3://lake", "gold/fct_order_totals")}
    assert totals["outputs"][0]["facets"]["symlinks"]["identifiers"][0]["name"] == "gold.fct_order_totals"
    assert {one["name"] for one in totals["outputs"][0]["facets"]["schema"]["fields"]} >= {
        "window_start",
        "revenue_cents",
    }
    staged = ends["staging.daybreak.stg_truth__order_totals.build.run"]
    assert ("s3://lake", "truth/order_totals") in names(staged["inputs"])
    assert names(staged["outputs"]) == {("spark://127.0.0.1:1", "staging.stg_truth__order_totals")}
    assert names(staged["outputs"]) <= names(totals["inputs"])
    assert ends["gold.daybreak.fct_order_payments.build.run"]["eventType"] == "FAIL"
    origins = {
        (field["namespace"], field["name"])
        for event in inner
        for one in event["outputs"]
        for column in one["facets"].get("columnLineage", {"fields": {}})["fields"].values()
        for field in column["inputFields"]
    }
    # The parser takes names of a query's own parts for tables, and these are left out.
    assert origins <= {name for event in inner for name in names(event["inputs"])}


def test_what_was_built_after_the_gateway_came_back_is_told(s: Settings) -> None:
    file = s.home / "dbt/target/run_results.json"
    results = json.loads(file.read_text())
    results["args"]["which"] = "retry"
    results["results"] = [one for one in results["results"] if ".fct_order_totals" in one["unique_id"]][:1]
    file.write_text(json.dumps(results))
    with of_build(s) as said:
        said.ran()
    assert [one["job"]["name"] for one in told(s)].count("gold.daybreak.fct_order_totals.build.run") == 2


def test_a_build_that_is_refused_fails_in_lineage_too(s: Settings) -> None:
    (s.home / "dbt/target/run_results.json").unlink()

    def build() -> None:
        with of_build(s) as said:
            said.ran()
            raise PermanentFailure("a test failed")

    with pytest.raises(PermanentFailure, match="a test failed"):
        build()
    assert [one["eventType"] for one in told(s)] == ["START", "FAIL"]
