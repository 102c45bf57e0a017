"""The disks that the platform's files lie on, and which of them has no room left.

Data flow: Settings -> folders of this machine -> free bytes of their disks -> a sentence per full disk
Run: daybreak status --problems

What is refused for want of room is refused whole: a commit, a record, a plan of a micro-batch. So nothing is lost, and who was
refused tries again: it goes on by itself when there is room.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from infra.problems import Problem
from infra.settings import Settings

FULL_BYTES, FULL_SHARE = 64 << 20, 20
"""A disk with less than this much free, or less than a twentieth of a small one, is full: what is written comes in pieces of some
megabytes."""
MEGABYTE = 1 << 20
LOG, LAKE, CHECKPOINTS = "Kafka's log", "the lake", "the stream's checkpoints"


@dataclass(frozen=True)
class Disk:
    """A folder on a disk: what is in it, and what waits while the disk is full; bytes."""

    what: str
    folder: Path
    waits: str
    free: int
    size: int

    @property
    def is_full(self) -> bool:
        """Has it too little room to go on?"""
        return self.free < min(FULL_BYTES, self.size // FULL_SHARE)

    def __str__(self) -> str:
        free, size = self.free // MEGABYTE, self.size // MEGABYTE
        return (
            f"the disk of {self.what} is full: {self.folder} (mounted at {_mounted(self.folder)}) has {free:,} MB free of "
            f"{size:,}, and {self.waits}"
        )


NO_ROOM = re.compile(
    "507 Insufficient Storage|XMinioStorageFull|No space left on device|File too large|QuotaExceeded|ENOSPC"
)
"""How stores and systems say that something was not written for want of room."""
THERE_IS_NONE = "There is no room"
MEND = "free some of it, or make it larger; what waits goes on by itself"


def full(s: Settings) -> list[Disk]:
    """The full disks among those that hold files of this platform; services elsewhere have their own."""
    return [one for one in _disks(s) if one.is_full]


def problems(s: Settings) -> list[Problem]:
    """One for each."""
    return [Problem(f"disk.full/{one.folder}", str(one), MEND) for one in full(s)]


def told(s: Settings) -> str:
    """The same as the end of a sentence; empty if no disk is full."""
    found = full(s)
    return f". {THERE_IS_NONE}: {'; '.join(map(str, found))}: {MEND}" if found else ""


def _disks(s: Settings) -> Iterator[Disk]:
    places = [(s.home, "the platform", "no program can write its files and its log there")]
    if s.embedded("kafka_bootstrap"):
        places.append(
            (s.home / "kafka", LOG, "its broker ends and starts again until it has room: nobody can send or read")
        )
    if s.embedded("s3_endpoint"):
        places.append((s.home / "store", LAKE, "no table can be written: the stream and the night try again"))
    if s.embedded("postgres_dsn"):
        places.append((s.home / "postgres", "Postgres", "it takes no change: leases, and Airflow, need it"))
    where = urlsplit(s.checkpoints)
    if where.scheme in ("", "file"):
        places.append((Path(where.path), CHECKPOINTS, "it plans no further micro-batch, and tries again"))
    seen = set[int]()
    for folder, what, waits in places:
        # Of several folders on one disk the first is named.
        if folder.exists() and (device := _device(folder)) not in seen:
            seen.add(device)
            found = os.statvfs(folder)
            yield Disk(what, folder, waits, found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize)


def _device(folder: Path) -> int:
    return folder.stat().st_dev


def _mounted(folder: Path) -> Path:
    at = folder.resolve()
    while not os.path.ismount(at):
        at = at.parent
    return at
