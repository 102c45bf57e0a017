"""A full disk, of the lake, of Kafka's log, of the checkpoints: it is named, all goes on with room, and nothing is lost."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest
from accounting import unaccounted
from running import Platform, until
from started import CORE
from traffic import burst

from infra.failures import TransientFailure

DISK_MB = 400
SPARE = 64 << 10
"""What is left when a disk is full: some writes still fit."""

pytestmark = [
    pytest.mark.soak,
    pytest.mark.platform,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk"),
]


def command(*words: str | Path) -> None:
    subprocess.run([*map(str, words)], check=True)


@contextmanager
def moved(platform: Platform, name: str) -> Iterator[Path]:
    """A folder of the home is on a small disk of its own, with all that is in it, for the length of the block."""
    folder = platform.settings.home / name
    kept = folder.with_name(f"{name}.kept")
    platform.run("daybreak", "down")
    folder.rename(kept)
    folder.mkdir(0o700)
    command("mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m,mode=0700", "daybreak", folder)
    try:
        command("cp", "-a", f"{kept}/.", folder)
        platform.run("daybreak", "up", "--only", CORE)
        yield folder
    finally:
        platform.run("daybreak", "down")
        command("rm", "-rf", kept)
        command("cp", "-a", folder, kept)
        command("umount", folder)
        folder.rmdir()
        kept.rename(folder)
        platform.run("daybreak", "up", "--only", CORE)


def fill(folder: Path) -> Path:
    """Leave SPARE bytes of its disk."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(SPARE))
        except OSError:
            file.truncate(max(file.tell() - SPARE, 0))
    return filler


def disks(platform: Platform) -> list[str]:
    """What `daybreak status --problems` says of full disks."""
    found = platform.run("daybreak", "status", "--problems", "--json", check=False)
    return [one["what"] for one in json.loads(found.stdout) if one["id"].startswith("disk.full/")]


def log(platform: Platform, name: str) -> str:
    return "".join(file.read_text(errors="replace") for file in (platform.settings.home / "logs").glob(f"{name}*.log"))


@pytest.mark.parametrize(
    ("name", "program", "says"),
    [
        ("store", "stream", "There is no room: the disk of the lake is full"),
        ("kafka", "kafka", "No space left on device"),
        ("checkpoints", "stream", "There is no room: the disk of the stream's checkpoints is full"),
    ],
    ids=["lake", "log", "checkpoints"],
)
def test_a_full_disk_is_named_and_nothing_is_lost(platform: Platform, name: str, program: str, says: str) -> None:
    seed = len(name)
    platform.send(burst(seed))
    with moved(platform, name) as folder:
        platform.send(burst(seed + 100))
        platform.wait_drained()
        assert disks(platform) == []
        before = log(platform, program).count(says)
        filler = fill(folder)
        failures: list[Exception] = []

        def send() -> None:
            try:
                for more in range(20):
                    platform.send(burst(seed + 200 + more))
            except (AssertionError, TransientFailure) as failure:
                failures.append(failure)

        # Without a broker it waits for one.
        sending = Thread(target=send)
        sending.start()
        until(f"{program} says {says}", lambda: log(platform, program).count(says) > before, 300)
        (what,) = disks(platform)
        assert str(folder) in what
        filler.unlink()
        sending.join()
        assert failures == []
        until("the disk is not told any more", lambda: disks(platform) == [], 60)
        for one in ("kafka", "store", "stream"):
            platform.wait_healthy(one)
        platform.send(burst(seed + 300))
        platform.wait_drained()
        assert unaccounted(platform) == []
