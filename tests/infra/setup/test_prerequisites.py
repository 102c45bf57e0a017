"""What is missing on the machine is said in one sentence."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from infra.installation import ROOT
from infra.setup import prerequisites
from infra.setup.step import SetupFailure


def _java(folder: Path, version: str) -> None:
    (folder / "bin").mkdir()
    binary = folder / "bin" / "java"
    binary.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    binary.chmod(0o755)


@pytest.mark.parametrize(("said", "major"), [("17.0.15", 17), ("1.8.0_402", 8), ("25", 25)])
def test_java_tells_its_version(said: str, major: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _java(tmp_path, said)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert prerequisites.java_version() == major


def test_an_old_java_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _java(tmp_path, "11.0.2")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(SetupFailure, match=r"Java 17 or newer is needed and .* is Java 11"):
        prerequisites.check()


def test_a_wrong_java_home_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(SetupFailure, match="JAVA_HOME"):
        prerequisites.java()


def test_no_java_tells_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SetupFailure, match="apt install openjdk"):
        prerequisites.java()


def test_a_python_without_venv_tells_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SetupFailure, match="apt install python3-venv"):
        prerequisites.check()


def test_a_wrong_python_is_refused_in_one_sentence() -> None:
    code = "import sys; sys.version_info = (3, 10, 1); import infra.setup.__main__ as m; m.main([])"
    ended = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert ended.returncode == 1
    assert ended.stderr.startswith("daybreak: Python 3.11, 3.12 or 3.13 is needed")
    assert "Traceback" not in ended.stderr
