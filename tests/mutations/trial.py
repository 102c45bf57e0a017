"""One trial: a copy of the tree, one run of pytest in it, and what that says of a check.

Data flow: tracked files -> copy -> pytest in a fork of this process -> Ran, with its Verdict
Run: python -m tests.mutations
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

import confluent_kafka.admin  # noqa: F401  loaded before the forks, as the rest of what the checks import
import deltalake  # noqa: F401
import pyarrow.compute  # noqa: F401
import pyspark.sql.functions  # noqa: F401
import pytest

from infra.settings import ROOT

OURS = ("infra", "streaming", "batch", "tests")

SHARED = (".venv", ".daybreak/jars", ".daybreak/bin")
"""What a copy has by a link; it shares no data, logs or settings of a platform that may be running."""

NO_CODE = ("NameError", "ImportError", "ModuleNotFoundError", "SyntaxError", "AttributeError", "py4j.")
"""Failures that any typing error gives, or a JVM that is gone: such a run shows nothing of the check."""


class Verdict(StrEnum):
    """What became of a mutation."""

    CAUGHT = "caught"
    SURVIVED = "SURVIVED"
    """Its check passed all the same."""
    BROKEN = "BROKEN"
    """Its check did not run: no such test, an error of import or name, or no end in time."""


@dataclass(frozen=True)
class Ran:
    """One run of pytest: its exit code (None: stopped at the limit) and the first failure in a line."""

    code: int | None
    said: str

    @property
    def verdict(self) -> Verdict:
        """1 is pytest's code for tests that ran and failed; 2 to 5 are no answer."""
        if self.code == 0:
            return Verdict.SURVIVED
        fails = self.code == 1 and self.said and not any(kind in self.said for kind in NO_CODE)
        return Verdict.CAUGHT if fails else Verdict.BROKEN


@contextmanager
def copied() -> Iterator[Path]:
    """A copy of the tracked files as they are now, in a folder that goes."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    with TemporaryDirectory(prefix="daybreak-mutation-") as folder:
        tree = Path(folder)
        for name in filter(None, names.split("\0")):
            if (ROOT / name).is_file():
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, tree / name)
        for name in SHARED:
            if (ROOT / name).exists():
                (tree / name).parent.mkdir(exist_ok=True)
                (tree / name).symlink_to((ROOT / name).resolve())
        yield tree


def run(tree: Path, checks: Sequence[str], seconds: float, jvm: Mapping[str, str]) -> Ran:
    """Run checks in a tree until the first fails, for so many seconds at most."""
    report = tree / "report.xml"
    code: int | None = None
    if not (child := os.fork()):
        try:
            code = _pytest(tree, [f"--junitxml={report}", *checks], jvm)
        finally:
            os._exit(3 if code is None else code)
    end = time.monotonic() + seconds
    try:
        while code is None and time.monotonic() < end:
            time.sleep(0.05)
            ended, status = os.waitpid(child, os.WNOHANG)
            code = os.waitstatus_to_exitcode(status) if ended else None
    finally:
        if code is None:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
    return Ran(code, _said(report) if report.exists() else "pytest gave no report")


def _pytest(tree: Path, arguments: Sequence[str], jvm: Mapping[str, str]) -> int:
    """In a fork, which has the libraries loaded and forgets our own modules: those of the tree are imported anew."""
    os.setsid()
    os.chdir(tree)
    os.environ |= jvm
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    # No compiled files: an edit of the same length within a second would not be seen.
    sys.dont_write_bytecode = True
    sys.path[0] = str(tree)
    for name in [name for name in sys.modules if name.split(".")[0] in OURS]:
        del sys.modules[name]
    return int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *arguments]))


def _said(report: Path) -> str:
    for kind in ("failure", "error"):
        for found in ElementTree.parse(report).iter(kind):
            return " ".join(found.get("message", "").split())
    return ""
