"""The command line is assembled from modules of which a call imports only its own."""

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command
from typer.testing import CliRunner

from batch.commands import COMMANDS, assembled, listed
from infra.project_setting import PROJECT_FILE, VARIABLE
from infra.registry import DEFAULT
from infra.settings import ROOT
from streaming.hooks import hooks, names

HEAVY = ("pyspark", "sqlalchemy", "minio", "airflow", "pyarrow")


def test_every_module_has_the_commands_that_are_listed_for_it() -> None:
    every = listed()
    for module in dict.fromkeys(every.values()):
        assert names(import_module(module).commands) == [name for name, its in every.items() if its == module], module


def test_the_help_lists_every_command_in_order() -> None:
    group = get_command(assembled())
    assert isinstance(group, TyperGroup)
    # Groups come after single commands, whoever they are of.
    assert [name for name in group.commands if name in COMMANDS] == list(COMMANDS)
    assert [name for name in group.commands if name not in COMMANDS] == list(hooks().commands)


@pytest.mark.parametrize(
    "arguments",
    [
        ("curve", "--help"),
        ("lab", "groups", "--help"),
        ("lab", "cqrs", "--help"),
        ("state", "--help"),
        ("up", "--help"),
    ],
    ids=" ".join,
)
def test_a_command_assembled_alone_keeps_its_name(arguments: tuple[str, ...]) -> None:
    ended = CliRunner().invoke(assembled(*arguments), arguments, prog_name="daybreak")
    assert ended.exit_code == 0
    assert f"Usage: daybreak {' '.join(arguments[:-1])}" in ended.stdout


def test_a_misspelt_command_is_told_the_nearest() -> None:
    ended = CliRunner().invoke(assembled("cruve"), ["cruve"])
    assert ended.exit_code == 2
    assert "Did you mean 'curve'?" in ended.output


@pytest.mark.parametrize("has_run", [False, True])
def test_where_nothing_was_ever_started_a_failure_says_so(tmp_path: Path, has_run: bool) -> None:
    home = tmp_path / "home"
    if has_run:
        home.mkdir()
        (home / PROJECT_FILE).write_text(f"{VARIABLE}={DEFAULT}\n")
    # No service can be on a port that needs another user's rights.
    own = {"DAYBREAK_HOME": str(home), "DAYBREAK_GATEWAY_HOST": "127.0.0.1", "DAYBREAK_GATEWAY_PORT": "1"}
    call = [sys.executable, "-c", "from batch.commands import main; main()", "query", "SELECT 1"]
    env = {**os.environ, **own, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(call, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "the SQL gateway does not answer" in ended.stderr
    assert ended.returncode == 1
    assert (f"no platform was ever started with the home {home}" in ended.stderr) is not has_run


def test_a_call_imports_no_other_commands() -> None:
    code = "import sys; from batch.commands import assembled; assembled('logs'); print(*sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    loaded = {module for module in COMMANDS.values() if module in said.split()}
    assert loaded == {COMMANDS["logs"]}


def test_asking_for_the_status_loads_no_client_that_it_does_not_need(tmp_path: Path) -> None:
    """Each takes as long to import as all the rest, at each command."""
    code = (
        "import sys; sys.argv = ['daybreak', 'status']\n"
        "from batch.commands import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    env = {"PATH": os.environ["PATH"], "DAYBREAK_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr
