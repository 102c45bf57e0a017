"""A project's own settings, in its `daybreak.toml`: below the environment's and the home's, and without secrets."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from infra.failures import PermanentFailure
from infra.settings import ROOT, load


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project's folder, in which one is; nothing in the environment names it."""
    monkeypatch.delenv("DAYBREAK_PROJECT")
    folder = tmp_path / "mine"
    (folder / "views").mkdir(parents=True)
    monkeypatch.chdir(folder / "views")
    return folder


def test_in_its_folder_a_project_is_the_one_in_force(mine: Path) -> None:
    (mine / "daybreak.toml").write_text('home = ".daybreak"\nport_base = 23000\napproval_threshold = {hot = 0.1}\n')
    s = load()
    assert (s.project, s.home, s.port_base) == (str(mine), mine / ".daybreak", 23000)
    assert {name: float(share) for name, share in s.approval_threshold.items()} == {"hot": 0.1}


def test_what_it_starts_elsewhere_is_of_the_same_project(mine: Path) -> None:
    (mine / "daybreak.toml").write_text('home = ".daybreak"\n')
    load()
    command = [sys.executable, "-c", "from infra.settings import load; print(load().project, load().home)"]
    told = subprocess.run(command, cwd="/", capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(ROOT)})
    assert told.stdout.split() == [str(mine), str(mine / ".daybreak")], told.stderr


def test_without_such_a_file_it_is_the_shop(mine: Path) -> None:
    assert (load().project, load().home) == ("streaming.shop", ROOT / ".daybreak")


def test_the_environment_and_the_home_have_the_last_word(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (mine / "daybreak.toml").write_text('home = ".daybreak"\ntrigger_seconds = 7\nbucket = "mine"\n')
    (mine / ".daybreak").mkdir()
    (mine / ".daybreak" / "secrets.env").write_text("DAYBREAK_BUCKET=theirs\n")
    monkeypatch.setenv("DAYBREAK_TRIGGER_SECONDS", "3")
    assert (load().trigger_seconds, load().bucket) == (3, "theirs")


def test_elsewhere_its_home_knows_its_settings(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (mine / "daybreak.toml").write_text("trigger_seconds = 7\n")
    (mine.parent / "home").mkdir()
    (mine.parent / "home" / "project.env").write_text(f"DAYBREAK_PROJECT={mine}\n")
    monkeypatch.setenv("DAYBREAK_HOME", str(mine.parent / "home"))
    monkeypatch.chdir("/")
    assert (load().project, load().trigger_seconds) == (str(mine), 7)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('s3_secret_key = "x"', "sets 's3_secret_key', a secret: a project is in a repository"),
        ("trigger_second = 7", "sets 'trigger_second', and there is no such setting"),
        ('project = "other"', "sets 'project', and there is no such setting"),
        ("trigger_seconds = -1", "setting DAYBREAK_TRIGGER_SECONDS is wrong"),
        ("trigger_seconds", "is no TOML"),
    ],
)
def test_what_may_not_stand_there_is_one_sentence(mine: Path, text: str, why: str) -> None:
    (mine / "daybreak.toml").write_text(text)
    with pytest.raises(PermanentFailure, match=why):
        load()
