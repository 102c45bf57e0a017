"""The wheel in an environment of its own, as a team installs it: set-up brings all that it needs, and a project's tests pass."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from infra.settings import ROOT

pytestmark = pytest.mark.soak


def run(folder: Path, *command: object) -> str:
    """What it says, with nothing of this clone in its environment."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("DAYBREAK_", "PYTEST_", "PYTHON"))}
    done = subprocess.run(list(map(str, command)), cwd=folder, env=env, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    return done.stdout


def test_a_projects_tests_pass_where_the_wheel_is_installed(tmp_path: Path) -> None:
    run(ROOT, sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    run(tmp_path, sys.executable, "-m", "venv", tmp_path / "env")
    own = tmp_path / "env" / "bin"
    run(tmp_path, own / "python", "-m", "pip", "install", "--no-deps", wheel)
    run(tmp_path, own / "daybreak", "setup")
    run(tmp_path, own / "daybreak", "new", "mine")
    assert " passed" in run(tmp_path / "mine", own / "python", "-m", "pytest", "tests")
    where = run(
        tmp_path / "mine", own / "python", "-c", "import batch, streaming; print(batch.__file__, streaming.__file__)"
    )
    assert all(Path(file).is_relative_to(tmp_path / "env") for file in where.split())
    assert (tmp_path / "mine" / ".daybreak" / "jars").resolve().is_relative_to(tmp_path / "env" / "share" / "daybreak")
    # A second time there is nothing to do.
    assert run(tmp_path, own / "daybreak", "setup") == ""
