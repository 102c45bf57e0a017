"""What a project does beside its topics and views is reached by its hooks; one without them has the platform's alone.

Data flow: a folder with `hooks.py` -> commands, looks, variables of dbt, or one sentence
Run: pytest tests/batch/test_hooks.py
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from own_hooks import GREET, OWN, Made, projects
from typer.testing import CliRunner

from batch.commands import COMMANDS, assembled, lab, listed
from batch.status.look import LOOKS, all_looks, look
from infra.failures import PermanentFailure
from infra.kafka_users import User
from infra.lab.labs import FIT, labs_of
from infra.registry import DEFAULT
from infra.settings import ROOT, Settings
from streaming.hooks import backlogs, for_gold, names
from streaming.own_writers import own_writer


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Made]:
    with projects(tmp_path, monkeypatch) as write:
        yield write


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
    own = made(hooks=OWN.replace('"greet"', '"night"'), greet=GREET)
    with pytest.raises(
        PermanentFailure, match=f"{own.module}.hooks: `commands` has a command `night`, and so has the platform"
    ):
        listed()


@pytest.mark.parametrize(
    ("files", "why"),
    [
        (
            {"hooks": OWN},
            r"`commands` names .*\.greet:commands, and .*\.greet does not load .*ModuleNotFoundError: No module",
        ),
        (
            {"hooks": OWN, "greet": "commands = 1"},
            r"names .*\.greet, whose `commands` should be a typer\.Typer, and is of type int",
        ),
        ({"hooks": OWN, "greet": "1 / 0"}, r"greet does not load \(.*/greet\.py, line 1\): ZeroDivisionError"),
        (
            {"hooks": OWN, "greet": "import sys\nsys.exit(3)"},
            r"greet does not load \(.*/greet\.py, line 2\): SystemExit: 3",
        ),
        ({"hooks": OWN, "greet": "x = 1"}, r"and .*\.greet \(.*/greet\.py\) has no `commands`"),
        (
            {"hooks": OWN.replace('"greet"', '"hello"'), "greet": GREET},
            r"names hello in .*\.greet, which has greet: list each",
        ),
        (
            {"hooks": OWN, "greet": GREET + "commands.command('night')(lag)"},
            "names greet in .*, which has greet, night: list each",
        ),
        ({"hooks": OWN, "greet": GREET + "commands.command('greet')(lag)"}, "which has greet, greet: .* none twice"),
        (
            {"hooks": OWN, "greet": GREET.replace("greet()", "greet(x: bytes | int)")},
            r"`commands` make no command line .*Union",
        ),
    ],
)
def test_wrong_commands_are_one_sentence(made: Made, files: dict[str, str], why: str) -> None:
    own = made(**files)
    with pytest.raises(PermanentFailure, match=why) as told:
        assembled("greet", "hello") if "hello" not in files["hooks"] else assembled("hello")
    assert str(told.value).startswith(f"{own.module}.hooks: `commands` names ")


def test_a_lab_of_a_name_that_there_is_is_refused(made: Made) -> None:
    own = made(hooks=OWN.replace("looks=", 'labs=("mine.greet",), looks='), greet=GREET)
    mine = typer.Typer()
    lab.add(mine)
    assert names(mine) == ["greet"]
    with pytest.raises(
        PermanentFailure, match=f"{own.module}.hooks: `labs` names .*, which has a lab `greet`, and there is one"
    ):
        lab.add(mine)


def test_a_look_of_the_platforms_name_is_refused(made: Made) -> None:
    own = made(hooks=OWN.replace('"attic"', '"stream"'), greet=GREET)
    with pytest.raises(
        PermanentFailure, match=f"{own.module}.hooks: `looks` has a look `stream`, and so has the platform"
    ):
        all_looks()


def test_the_labs_of_the_page_are_those_of_the_command_line() -> None:
    assert {one.name for one in lab.labs.registered_commands} == {one.name for one in labs_of(DEFAULT)} | {FIT.name}


@pytest.mark.parametrize(
    ("look_of_it", "why"),
    [
        ("", r"has no `looked`"),
        (
            "def looked(s): return s.attic",
            r"which failed \(.*/greet\.py, line 1\): AttributeError: .* no attribute 'attic'",
        ),
        (
            "def looked(s): return ['cold']",
            r"`returned\[0\]` should be an instance of Problem, and is of type str",
        ),
        (
            "from infra.problems import Problem\ndef looked(s): yield Problem('mine/attic', 5, 'heat it')",
            r"which returns a Problem: `what` should be a valid string, and is 5 \(int\)",
        ),
    ],
)
def test_a_look_that_fails_is_told_as_a_problem(made: Made, tmp_path: Path, look_of_it: str, why: str) -> None:
    own = made(hooks=OWN, greet=look_of_it)
    (found,) = look(Settings(home=tmp_path), {"attic": all_looks()["attic"]})
    assert found.id == "look.failed/attic"
    assert f"{own.module}.hooks: `looks['attic']` names {own.module}.greet:looked" in found.what
    assert re.search(why, found.what)


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
