"""One step of the set-up: done once, and again when what it is made from changes.

Data flow: Step -> the step's files, and a stamp that says what they were made from
Run: make setup
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from infra.installation import IS_CLONE, ROOT, SET_UP, STATE


class SetupFailure(Exception):
    """Set-up cannot go on; the message is one sentence that says what to do."""


@contextmanager
def replaced(folder: Path) -> Iterator[Path]:
    """An empty folder that takes the place of `folder` when it has been filled: all of it or nothing."""
    fresh = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    yield fresh
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)


@dataclass(frozen=True)
class Step:
    """A step: what it says while it works, where its stamp lies, what its result depends on, and `after` which step it begins."""

    name: str
    says: str
    stamp: Path
    made_from: Callable[[], str]
    install: Callable[[], None]
    complete: Callable[[], bool]
    after: str = ""

    def is_done(self) -> bool:
        """Is its result complete, and made from the repository's current state?"""
        return self.stamp.is_file() and self.stamp.read_text() == self.made_from() and self.complete()


def run(steps: Sequence[Step]) -> None:
    """Run every step that is not done yet, all in parallel, but for those that come `after` another of them.

    A warm set-up only compares stamps. A second set-up of the same clone waits for the first, and then finds its work done.
    """
    places = {step.name: f"[{number}/{len(steps)}]" for number, step in enumerate(steps, 1)}
    if all(step.is_done() for step in steps):
        return
    begun: dict[str, Future[None]] = {}
    if not IS_CLONE:
        print(f"into {STATE}:", flush=True)
    with alone(), ThreadPoolExecutor(len(steps)) as pool:
        for step in steps:
            begun[step.name] = pool.submit(_run, step, places[step.name], begun.get(step.after))
    for one in begun.values():
        one.result()


@contextmanager
def alone() -> Iterator[None]:
    """Hold the set-up's lock: two at once would overwrite each other's downloads. Raises SetupFailure if it may not write."""
    try:
        # A clone's is the home of all data and passwords, too.
        STATE.mkdir(mode=0o700 if IS_CLONE else 0o755, parents=True, exist_ok=True)
        held = (STATE / "setup.lock").open("w")
    except PermissionError as wrong:
        raise SetupFailure(f"{wrong.filename} cannot be written: let its owner run `{SET_UP}`") from None
    with held as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("another set-up is running here: waiting for it to end", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _run(step: Step, place: str, before: Future[None] | None) -> None:
    if before:
        before.result()
    if step.is_done():
        return
    started = time.monotonic()
    print(f"{place} {step.says}", flush=True)
    step.stamp.unlink(missing_ok=True)
    step.install()
    if not step.complete():
        raise SetupFailure(f"the step {step.name!r} ended without its files; run `{SET_UP}` again")
    step.stamp.parent.mkdir(parents=True, exist_ok=True)
    step.stamp.write_text(step.made_from())
    print(f"{place} {step.name}: done in {time.monotonic() - started:.0f} s", flush=True)


def digest(*parts: Path | str) -> str:
    """A hash of files' contents and of strings."""
    total = hashlib.sha256()
    for part in parts:
        total.update(part.read_bytes() if isinstance(part, Path) else part.encode())
        total.update(b"\0")
    return total.hexdigest()


def call(command: Sequence[object], what: str, env: Mapping[str, str] | None = None) -> None:
    """Run a command and let it show its own progress; raise SetupFailure with `what` if it fails."""
    ended = subprocess.run([str(part) for part in command], env=dict(os.environ) | dict(env or {}), cwd=ROOT)
    if ended.returncode:
        sys.stdout.flush()
        raise SetupFailure(
            f"{what} failed (exit {ended.returncode}); the lines above say why. Run `{SET_UP}` again to continue"
        )
