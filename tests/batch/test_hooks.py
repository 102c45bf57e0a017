"""What a project does beside its topics and views is reached by its hooks; one without them has the platform's alone.

Data flow: a folder with `hooks.py` -> commands, looks, variables of dbt, or one sentence
Run: pytest tests/batch/test_hooks.py
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from typer.testing import CliRunner

from batch.commands import COMMANDS, assembled, lab, listed
from batch.status.look import LOOKS, all_looks, look
from infra.failures import PermanentFailure
from infra.kafka_users import User
from infra.lab.labs import FIT, labs_of
from infra.project import Place
from infra.registry import DEFAULT
from infra.settings import ROOT, Settings
from streaming import hooks as module
from streaming.hooks import backlogs, for_gold, hooks
from streaming.own_writers import own_writer

GREET = """
import typer

commands = typer.Typer()


@commands.command()
def greet() -> None:
    print("hello")


def looked(s):
    from infra.problems import Problem

    return [Problem("mine/attic", "the attic is cold", "heat it")]


def variables(s):
    return {"MINE": str(s.topic_partitions)}


def writers(s):
    from streaming.hooks import Writer

    return {"rooms": Writer("only the attic writes `rooms`")}


def lag(s):
    from streaming.hooks import Backlog

    return [Backlog({"attic": 3}, ("the attic is 3 behind",))]
"""
OWN = """
from streaming.hooks import Hooks

HOOKS = Hooks(
    commands={"greet": "mine.greet"},
    looks={"attic": "mine.greet:looked"},
    for_gold="mine.greet:variables",
    writers="mine.greet:writers",
    lag="mine.greet:lag",
)
"""
NUMBERS = count()
Made = Callable[..., Place]


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Made]:
    """A function that writes a project of some files and makes it the one in force."""
    path, known = [*sys.path], {*sys.modules}

    def write(**files: str) -> Place:
        name = f"mine_hooks_{next(NUMBERS)}"
        own = Place(name, tmp_path / name, tmp_path)
        own.folder.mkdir()
        for file, text in files.items():
            (own.folder / f"{file}.py").write_text(text.replace("mine.", f"{name}."))
        monkeypatch.setattr(module, "folder", lambda: own)
        return own

    hooks.cache_clear()
    yield write
    hooks.cache_clear()
    sys.path[:] = path
    for name in {*sys.modules} - known:
        if name.startswith("mine_hooks_"):
            del sys.modules[name]


def test_what_it_adds_is_found_where_the_platform_asks(made: Made, tmp_path: Path) -> None:
    made(hooks=OWN, greet=GREET)
    assert [*listed()] == [*COMMANDS, "greet"]
    assert CliRunner().invoke(assembled("greet"), ["greet"]).stdout == "hello\n"
    assert [*all_looks()] == [*LOOKS, "attic"]
    s = Settings(home=tmp_path)
    assert [one.id for one in look(s, {"attic": all_looks()["attic"]})] == ["mine/attic"]
    assert for_gold(s) == {"MINE": str(s.topic_partitions)}
    assert own_writer(s, "rooms", User.SENDER) == "only the attic writes `rooms`"
    assert [one.as_json for one in backlogs(s)] == [{"attic": 3}]


def test_a_project_without_hooks_has_the_platforms_alone(made: Made) -> None:
    made(contracts="")
    assert listed() == COMMANDS
    assert all_looks() == LOOKS
    assert for_gold(Settings()) == {}
    assert own_writer(Settings(), "answers", User.SENDER) is None
    assert backlogs(Settings()) == ()


def test_a_command_of_the_platforms_name_is_refused(made: Made) -> None:
    made(hooks=OWN.replace('"greet"', '"night"'), greet=GREET)
    with pytest.raises(PermanentFailure, match="the project has a command `night`, and so has the platform: rename it"):
        listed()


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"hooks": "HOOK = 1"}, r"hooks has no HOOKS: it is one streaming\.hooks\.Hooks"),
        ({"hooks": "HOOKS = 1 / 0"}, r"does not load \(.*/hooks\.py, line 1\): ZeroDivisionError"),
        ({"hooks": OWN}, r"names mine_hooks_\d+\.greet:commands\. .*ModuleNotFoundError: No module named"),
        ({"hooks": OWN, "greet": "commands = 1"}, r"names mine_hooks_\d+\.greet, whose `commands` is no typer\.Typer"),
        ({"hooks": OWN, "greet": "1 / 0"}, r"does not load \(.*/greet\.py, line 1\): ZeroDivisionError"),
    ],
)
def test_what_is_wrong_is_one_sentence(made: Made, files: dict[str, str], why: str) -> None:
    made(**files)
    with pytest.raises(PermanentFailure, match=why):
        assembled("greet")


def test_the_labs_of_the_page_are_those_of_the_command_line() -> None:
    assert {one.name for one in lab.labs.registered_commands} == {one.name for one in labs_of(DEFAULT)} | {FIT.name}


def test_a_look_that_cannot_be_found_is_told_as_a_problem(made: Made, tmp_path: Path) -> None:
    made(hooks=OWN)
    (found,) = look(Settings(home=tmp_path), {"attic": all_looks()["attic"]})
    assert found.id == "look.failed/attic"
    assert "names" in found.what


def test_another_project_neither_lists_nor_loads_the_shops_commands() -> None:
    code = (
        "import sys; from typer.main import get_command; from batch.commands import assembled, listed\n"
        "print(*listed())\n"
        "print(*get_command(assembled()).commands['lab'].commands)\n"
        "print(*(name for name in sys.modules if name.startswith(('batch.shop', 'streaming.shop'))))"
    )
    env = os.environ | {"DAYBREAK_PROJECT": str(ROOT / "tests" / "sensors"), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True, cwd=ROOT)
    commands, labs, loaded = (line.split() for line in done.stdout.splitlines())
    assert commands == [*COMMANDS]
    assert {*labs} == {one.name for one in labs_of("tests/sensors")} | {FIT.name}
    assert not {"cqrs", "polling"} & {*labs}
    assert not loaded
