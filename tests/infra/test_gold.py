"""Running dbt: where it writes, and which failures are worth another try.

Data flow: a dbt that ends in a given way -> failure by type
Run: pytest tests/infra/test_gold.py
"""

import json
import re
import subprocess
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from infra.failures import PermanentFailure, TransientFailure
from infra.settings import ROOT, Settings
from infra.sql import docs, gold
from infra.sql.gold import Verb


def dbt(monkeypatch: pytest.MonkeyPatch, home: Path, code: int, statuses: dict[str, str] | None) -> list[Any]:
    """A dbt that exits with `code` and leaves `statuses` of its tests, or dies before that."""
    calls: list[Any] = []
    (home / "dbt" / "target").mkdir(parents=True)
    file, page = (home / "dbt" / "target" / name for name in ("run_results.json", "static_index.html"))
    file.write_text(json.dumps({"results": [{"unique_id": "test.daybreak.of_last_night.1", "status": "fail"}]}))

    def run(command: list[str], env: dict[str, str], cwd: Path, check: bool) -> Any:
        calls.append((command, env))
        if "docs" in command:
            page.write_text(f"<html>{docs.HEAD}{docs.BEGIN}1{docs.END}")
        if statuses is not None:
            results = [{"unique_id": f"test.daybreak.{name}.1a2b", "status": said} for name, said in statuses.items()]
            file.write_text(json.dumps({"results": results}))
        return subprocess.CompletedProcess(command, code)

    monkeypatch.setattr(gold, "settings", lambda: Settings(home=home, gateway_port=1234, bucket="pond"))
    monkeypatch.setattr(gold, "Lease", lambda name, wait: nullcontext())
    monkeypatch.setattr(gold, "register", lambda: [])
    monkeypatch.setattr(gold.subprocess, "run", run)
    return calls


def test_dbt_writes_nothing_into_the_tree(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calls = dbt(monkeypatch, tmp_path, 0, {"a_key_is_unique": "pass"})
    gold.run(Verb.DOCS)
    command, env = calls[0]
    assert command[-3:] == ["docs", "generate", "--static"]
    assert env["DBT_TARGET_PATH"] == str(tmp_path / "dbt" / "target")
    assert env["DBT_LOG_PATH"] == str(tmp_path / "dbt" / "logs")
    assert (env["DAYBREAK_GATEWAY_PORT"], env["DAYBREAK_BUCKET"]) == ("1234", "pond")


def test_a_failed_test_is_permanent_and_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    dbt(monkeypatch, tmp_path, 1, {"what_a_fact_claims": "fail", "a_key_is_unique": "pass"})
    with pytest.raises(PermanentFailure, match=r"dbt test failed: what_a_fact_claims$"):
        gold.run(Verb.BUILD)


@pytest.mark.parametrize("statuses", [{"a_key_is_unique": "error"}, None], ids=["gateway went away", "dbt died"])
def test_a_test_that_could_not_be_run_is_worth_another_try(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, statuses: dict[str, str] | None
) -> None:
    dbt(monkeypatch, tmp_path, 1, statuses)
    with pytest.raises(TransientFailure, match="dbt build --full-refresh ended with code 1"):
        gold.run(Verb.BUILD)


@pytest.mark.parametrize(
    "why",
    [
        "Runtime Error: TSocket read 0 bytes",
        "Could not connect to any of [('127.0.0.1', 1)]",
        "java.lang.OutOfMemoryError: Java heap space",
        "Job 3 cancelled daybreak: the gateway's memory (1g, DAYBREAK_GATEWAY_MEMORY) was nearly full",
    ],
)
def test_a_build_goes_on_when_the_gateway_is_back(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, why: str) -> None:
    calls = dbt(monkeypatch, tmp_path, 1, None)
    file = tmp_path / "dbt" / "target" / "run_results.json"

    def run(command: list[str], env: dict[str, str], cwd: Path, check: bool) -> Any:
        calls.append((command, env))
        failed = {"unique_id": "model.daybreak.fct_orders", "status": "error", "message": why}
        rows = [failed] if len(calls) == 1 else [{"unique_id": "model.daybreak.fct_orders", "status": "success"}]
        file.write_text(json.dumps({"results": rows}))
        return subprocess.CompletedProcess(command, len(calls) == 1)

    monkeypatch.setattr(gold.subprocess, "run", run)
    monkeypatch.setattr(gold, "opened", lambda: nullcontext())
    gold.run(Verb.BUILD)
    assert [command[2:] for command, _ in calls] == [["build", "--full-refresh"], ["retry"]]
    assert gold.done(Settings(home=tmp_path), Verb.BUILD).exists()


def test_an_error_of_its_own_is_not_tried_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calls = dbt(monkeypatch, tmp_path, 1, {"a_key_is_unique": "error"})
    with pytest.raises(TransientFailure):
        gold.run(Verb.BUILD)
    assert len(calls) == 1


def test_what_has_not_changed_is_not_made_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calls = dbt(monkeypatch, tmp_path, 0, {})
    for verb in (Verb.BUILD, Verb.BUILD, Verb.DOCS, Verb.DOCS):
        gold.run(verb)
    assert [command[2:] for command, _ in calls] == [
        ["build", "--full-refresh"],
        ["build", *gold.ALL_BUT_VIEWS],
        ["docs", "generate", "--static"],
    ]
    assert gold.docs_page().read_text().count("script-src 'sha256-") == 1
    monkeypatch.setattr(gold, "version", lambda s: "another")
    gold.run(Verb.BUILD)
    assert calls[-1][0][2:] == ["build", "--full-refresh"]


def test_unchanged_days_are_left_out_but_of_a_whole_build(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calls = dbt(monkeypatch, tmp_path, 0, {})
    for verb in (Verb.BUILD, Verb.BUILD, Verb.REBUILD):
        gold.run(verb, lambda s: ["2026-01-30", "2026-01-31"])
    assert [env["DAYBREAK_UNCHANGED_DAYS"] for _, env in calls] == ["", "2026-01-30,2026-01-31", ""]


def test_some_models_are_rebuilt_with_what_is_known_then(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calls = dbt(monkeypatch, tmp_path, 0, {"a_key_is_unique": "pass"})
    gold.rebuild(gold.settings(), ["dim_one", "dim_two"], lambda s: {"DAYBREAK_AT": s.bucket})
    ((command, env),) = calls
    assert command[2:] == ["build", "--full-refresh", "--select", "dim_one", "dim_two"]
    assert env["DAYBREAK_AT"] == "pond"
    # The other models are not known to be built.
    assert not gold.done(gold.settings(), Verb.BUILD).exists()


def test_a_gateway_of_your_own_is_given_its_views_each_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calls = dbt(monkeypatch, tmp_path, 0, {})
    own = Settings(home=tmp_path, gateway_host="spark.example", gateway_port=1234)
    monkeypatch.setattr(gold, "settings", lambda: own)
    for _ in range(2):
        gold.run(Verb.BUILD)
    assert [command[2:] for command, _ in calls] == [["build", "--full-refresh"], ["build"]]


def test_a_build_that_failed_is_done_whole_the_next_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calls = dbt(monkeypatch, tmp_path, 0, {})
    gold.run(Verb.BUILD)
    good = gold.subprocess.run
    for verb, is_left in ((Verb.BUILD, True), (Verb.REBUILD, False)):
        monkeypatch.setattr(gold.subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 2))
        with pytest.raises(TransientFailure):
            gold.run(verb)
        # What a usual build has not done, the next one does: its days have changed since the last that ended well.
        assert gold.done(gold.settings(), verb).exists() is is_left
    monkeypatch.setattr(gold.subprocess, "run", good)
    gold.run(Verb.BUILD)
    assert calls[-1][0][2:] == ["build", "--full-refresh"]


def test_the_users_own_settings_win_in_dbts_sessions(tmp_path: Path) -> None:
    own = {"spark.sql.adaptive.enabled": "true"}
    assert "set:hiveconf:spark.sql.adaptive.enabled" not in gold.spark_settings(Settings(home=tmp_path, spark_conf=own))
    assert gold.spark_settings(Settings(home=tmp_path))["set:hiveconf:spark.sql.shuffle.partitions"] == "1"
    assert gold.spark_settings(Settings(home=tmp_path, gold_profile="spark")) == {
        "set:hiveconf:spark.sql.thriftServer.queryTimeout": "0s"
    }


def test_the_gateway_lets_dbts_sessions_set_all_that_they_set(tmp_path: Path) -> None:
    """Of no setting of a person: those of the platform's tests hide some of them."""
    rights = (ROOT / "infra" / "sql" / "java" / "daybreak" / "sql" / "Rights.java").read_text()
    allowed = re.findall(r'"(spark\.[\w.]+)"', rights.partition("SETTINGS_OF_GOLD = ")[2].partition(";")[0])
    names = [name.removeprefix("set:hiveconf:") for name in gold.spark_settings(Settings(home=tmp_path))]
    assert [name for name in names if not name.startswith(tuple(allowed))] == []
