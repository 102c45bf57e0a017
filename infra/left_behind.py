"""What programs that were killed leave behind them in the home: it is removed, so that deaths do not fill the disk.

Data flow: `<home>/tmp/<program>`, empty at each start; `<home>/tmp/spark-of-*`, there while its process is; `<home>/tmp`,
`<home>/lab` -> what somebody wrote to within a week
Run: pytest tests/infra/test_left_behind.py

A program that runs for weeks works in a folder of its own, because nobody could tell its files from those of one that was killed.
Other programs' Spark works in a folder that is locked while its process lives: a night of ten million records, killed, leaves
12 GB, and Airflow tries again.
"""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from infra.settings import Settings

LONG_LIVED = ("stream", "gateway")
"""Their folders are their own to empty."""
DAYS = 7
"""A night that computes all of history anew works for less."""
SHARED = ("tmp", "lab")
"""Folders in which commands, nights and labs work, each in a file or folder of its own."""
OF_A_PROCESS = "spark-of-"
"""So begin the names of folders that a process holds while it lives."""


def working_folder(s: Settings, program: str) -> Path:
    """Where a long-lived program's JVM and Spark work; of use only while it runs."""
    return s.home / "tmp" / program


def emptied(folder: Path) -> Path:
    """The folder, there and empty: what one that was killed has left can be gigabytes."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


@cache
def of_this_process(home: Path, process: int) -> Path:
    """A new folder for what `process`, this one, holds until it ends, however that is.

    Folders of those that have ended are removed. A process that was forked off is another.
    """
    shared = home / "tmp"
    shared.mkdir(exist_ok=True)
    for folder in shared.glob(f"{OF_A_PROCESS}*"):
        with _of_nobody(folder) as ended:
            if ended:
                shutil.rmtree(folder, ignore_errors=True)
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f"{OF_A_PROCESS}{process}-", dir=shared))
        lock = os.open(folder, os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        # Between the two somebody may have taken it for one of the dead.
        if folder.exists():
            return folder
        os.close(lock)


@contextmanager
def _of_nobody(folder: Path) -> Iterator[bool]:
    """Whether no process that lives holds the folder; nobody can begin to while this is open."""
    try:
        lock = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:
        yield False
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield False
    else:
        yield True
    finally:
        os.close(lock)


def remove_old(s: Settings, days: float = DAYS) -> int:
    """Remove what nobody has written to for so many days from the shared folders; how many files and folders.

    A library that a running JVM has loaded from there stays in its memory.
    """
    oldest, removed = time.time() - days * 86_400, 0
    for shared in SHARED:
        for entry in (s.home / shared).glob("*"):
            is_results = shared == "lab" and not entry.is_dir()
            if entry.name in LONG_LIVED or is_results or _newest(entry) > oldest:
                continue
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry, ignore_errors=True)
            else:
                entry.unlink(missing_ok=True)
            removed += 1
    return removed


def _newest(entry: Path) -> float:
    """When something was last written there, in epoch seconds."""
    below = (Path(folder, name) for folder, folders, files in os.walk(entry) for name in (*folders, *files))
    newest = 0.0
    for path in (entry, *below):
        # Its program may just be removing it.
        with suppress(FileNotFoundError):
            newest = max(newest, path.lstat().st_mtime)
    return newest
