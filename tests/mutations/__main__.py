"""Make every listed mistake in a copy of the tree, and see that its check notices.

Data flow: tracked files -> a copy with one mistake -> pytest on the one check that must fail -> a table
Run: python -m tests.mutations [WORD ...]   # or: make mutations; --list only shows them

First all the named checks run on a copy without a mistake and must pass: one that always fails would catch everything.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated
from xml.etree import ElementTree

import typer
from rich.console import Console
from rich.table import Table

from infra.settings import ROOT
from tests.mutations.jvm import warm_jvm
from tests.mutations.listed import MUTATIONS
from tests.mutations.mutation import Mutation

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
    options = ["-x", "-q", "-p", "no:cacheprovider", f"--junitxml={report}"]
    # No compiled files: an edit of the same length within a second would not be seen.
    process = subprocess.Popen(
        [sys.executable, "-B", "-m", "pytest", *options, *checks],
        cwd=tree,
        env={**os.environ, **jvm},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        code: int | None = process.wait(seconds)
    except subprocess.TimeoutExpired:
        code = None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return Ran(code, _said(report) if report.exists() else "pytest gave no report")


def _said(report: Path) -> str:
    for kind in ("failure", "error"):
        for found in ElementTree.parse(report).iter(kind):
            return " ".join(found.get("message", "").split())
    return ""


def main(
    words: Annotated[list[str] | None, typer.Argument(help="Only those with one of these in name or file")] = None,
    only_list: Annotated[bool, typer.Option("--list", help="Show them and run nothing")] = False,
    seconds: Annotated[int, typer.Option(help="Longest time for one check")] = 900,
) -> None:
    """Ends with 1 if a mutation survives, or if its check does not run."""
    # As by Ctrl-C, so that what was started is ended too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    console = Console()
    chosen = [one for one in MUTATIONS if not words or any(word in f"{one.name} {one.file}" for word in words)]
    if only_list:
        console.print(table([(one, None) for one in chosen]))
        return
    if not chosen:
        raise typer.BadParameter(f"no mutation has {words} in its name or file")
    found: list[tuple[Mutation, Ran | None]] = []
    with warm_jvm() as jvm:
        checks = list(dict.fromkeys(one.caught_by for one in chosen))
        console.print(f"{len(checks)} checks on the code as it is", highlight=False)
        with copied() as tree:
            sound = run(tree, checks, seconds * len(checks), jvm)
        if sound.code != 0:
            console.print(f"they do not pass without a mutation (pytest: {sound.code}): {sound.said}", markup=False)
            raise typer.Exit(1)
        for number, one in enumerate(chosen, 1):
            with copied() as tree:
                one.apply(tree)
                ran = run(tree, [one.caught_by], seconds, jvm)
            found.append((one, ran))
            told = f"{number}/{len(chosen)} {ran.verdict}: {one.name}"
            said = "" if ran.verdict is Verdict.SURVIVED else f" (pytest: {ran.code}) {ran.said[:300]}"
            console.print(told + said, markup=False, highlight=False, soft_wrap=True)
    console.print(table(found))
    raise typer.Exit(int(any(ran and ran.verdict is not Verdict.CAUGHT for _, ran in found)))


def table(found: Sequence[tuple[Mutation, Ran | None]]) -> Table:
    """A row per mutation: what, where, by which check, and what became of it."""
    drawn = Table("mutation", "file", "check", "", caption=f"{len(found)} mutations")
    for one, ran in found:
        drawn.add_row(*(text.replace("[", r"\[") for text in (one.name, one.file, one.caught_by)), ran and ran.verdict)
    return drawn


if __name__ == "__main__":
    typer.run(main)
