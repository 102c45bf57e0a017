"""The platform's wheel has all that the code opens, and works where nothing else of the clone is."""

import ast
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.installation import PACKAGES
from infra.settings import ROOT

MOVED = {"dbt": "infra/sql/dbt"}
NOT_IN_IT = {".daybreak", ".venv", "pyproject.toml"}
"""What the code names beside ROOT and no installed platform has: a clone's state, and its bill of materials."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """It, made from this tree."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path) -> Path:
    """Its files in a folder of their own, which stands for site-packages."""
    folder = wheel.parent / "site-packages"
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder)
    return folder


def run(installed: Path, folder: Path, *command: str) -> str:
    """What a command says in `folder`, if the first of our packages on Python's path are the wheel's."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("DAYBREAK_")}
    env["PYTHONPATH"] = str(installed)
    done = subprocess.run([sys.executable, *command], cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert str(ROOT / "infra") not in done.stdout
    return done.stdout


def daybreak(installed: Path, folder: Path, *words: str) -> str:
    return run(installed, folder, "-c", "from batch.start import main; main()", *words)


def files(folder: Path) -> set[str]:
    """Every file below a folder, but what Python has compiled and what macOS or an editor hid."""
    return {
        file.relative_to(folder).as_posix()
        for file in folder.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }


def opened() -> Iterator[tuple[str, str]]:
    """Every path that the code builds from ROOT: the file, and the path's constant beginning."""
    for package in PACKAGES:
        for file in (ROOT / package).rglob("*.py"):
            text = file.read_text()
            for node in ast.walk(ast.parse(text)) if "ROOT /" in text else ():
                names: list[str] = []
                while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
                    names.insert(0, node.right.value if isinstance(node.right, ast.Constant) else "")
                    node = node.left
                if names and names[0] and isinstance(node, ast.Name) and node.id == "ROOT":
                    yield file.relative_to(ROOT).as_posix(), "/".join(names[: (*names, "").index("")])


def test_it_has_every_file_of_the_floors_and_no_other(wheel: Path) -> None:
    expected = {f"{MOVED.get(name, name)}/{file}" for name in (*PACKAGES, *MOVED) for file in files(ROOT / name)}
    with zipfile.ZipFile(wheel) as packed:
        assert {name for name in packed.namelist() if ".dist-info/" not in name} == expected
    hidden = {"dags/.airflowignore", "streaming/starter/.gitignore"}
    assert hidden < expected


def test_the_change_log_begins_with_its_version(wheel: Path) -> None:
    newest = re.search(r"^## (\S+)$", (ROOT / ".github" / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest
    assert wheel.name.startswith(f"daybreak-{newest[1]}-")


def test_what_the_code_opens_from_its_root_is_in_it(installed: Path) -> None:
    found = {(file, path) for file, path in opened() if path.split("/")[0] not in NOT_IN_IT}
    assert {"infra/requirements.lock", "streaming/starter", "dags/plugins"} <= {path for _, path in found}
    # The clone's place, where there is no other.
    choices = {("infra/installation.py", "dbt"), ("dags/lake.py", "dbt")}
    assert {one for one in found if not (installed / one[1]).exists()} == choices


def test_a_project_is_made_with_its_own_gold_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    before = files(installed)
    daybreak(installed, tmp_path, "new", "mine")
    run(installed, tmp_path / "mine", "-m", "batch.catalog")
    own = tmp_path / "mine" / ".daybreak" / "dbt" / "project"
    assert {"dbt_project.yml", "models/staging/stg_silver__readings.sql"} <= files(own)
    assert files(installed) == before


def test_an_installed_platforms_home_is_in_the_folder_where_one_is(installed: Path, tmp_path: Path) -> None:
    ask = "from infra.settings import load; from infra.sql.models import models; print(load().home, models(load()))"
    child = f"import os, subprocess, sys; {ask}; subprocess.run([sys.executable, '-c', {ask!r}], cwd='/')"
    here = [str(tmp_path / ".daybreak"), str(installed / "infra" / "sql" / "dbt")]
    assert run(installed, tmp_path, "-u", "-c", child).split() == [*here, *here]
    own = tmp_path / "mine"
    (own / "views").mkdir(parents=True)
    (own / "daybreak.toml").write_text("port_base = 23000\n")
    assert run(installed, own / "views", "-c", ask).split()[0] == str(own / ".daybreak")


def test_without_packages_it_says_which_command_brings_them(installed: Path, tmp_path: Path) -> None:
    start = f"import sys; sys.path.insert(0, {str(installed)!r}); from batch.start import main; main()"
    bare = subprocess.run([sys.executable, "-I", "-S", "-c", start, "up"], cwd=tmp_path, capture_output=True, text=True)
    assert "run `daybreak setup`" in bare.stderr
    # Which needs none itself; and without its `site`, this Python is in no environment.
    command = [sys.executable, "-I", "-S", "-c", start, "setup"]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (told.returncode, "an environment of its own" in told.stderr) == (1, True)
