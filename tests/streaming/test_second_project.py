"""A second project, as unlike the shop as a small one can be (tests/sensors), under the platform's own tests.

Data flow: DAYBREAK_TESTED_PROJECT -> pytest in a process of its own -> its outcome
Run: pytest tests/streaming/test_second_project.py
"""

import os
import subprocess
import sys

import pytest

from infra.settings import ROOT

pytestmark = pytest.mark.slow

JUDGES = (
    "tests/sensors/judge.py",
    "tests/sensors/golden.py",
    "tests/streaming/test_contracts.py",
    "tests/streaming/test_key_field.py",
)
"""Its own, and those that loop over the contracts and examples of the project in force."""


def test_a_project_of_sensors_passes_the_platforms_tests() -> None:
    env = os.environ | {"DAYBREAK_TESTED_PROJECT": str(ROOT / "tests" / "sensors"), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *JUDGES]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, done.stdout[-8000:]
    assert " passed" in done.stdout
