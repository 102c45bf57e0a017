"""A file that only its owner reads, changed by commands while a program runs: two changes wait for each other, none is half.

Data flow: commands -> `<home>/<name>.json` (0600) -> the running program, which reads it again when it is another one
Run: daybreak webhooks list
"""

import fcntl
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

from infra.owner_only import OWNER_ONLY

T = TypeVar("T")


@contextmanager
def turn(file: Path) -> Iterator[None]:
    """Nobody else changes the file in this block."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with (file.parent / f".{file.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def write(file: Path, content: Any) -> None:
    """Put this JSON in the file's place, on the disk when it returns."""
    put(file, json.dumps(content, indent=1))


def put(file: Path, text: str) -> None:
    """The same of a text."""
    put_bytes(file, text.encode())


def put_bytes(file: Path, content: bytes) -> None:
    """The same of bytes."""
    fresh = file.with_suffix(f".{os.getpid()}")
    fresh.unlink(missing_ok=True)
    fresh.touch(mode=OWNER_ONLY)
    with fresh.open("wb") as out:
        out.write(content)
        out.flush()
        os.fsync(out.fileno())
    fresh.replace(file)


class Kept(Generic[T]):
    """What such a file says, for a running program."""

    def __init__(self, file: Path, read: Callable[[Path], T]) -> None:
        self._file, self._read = file, read
        self._seen = self._stamp()
        self._known = read(file)

    def now(self) -> T:
        """As the file has it now. Raises what `read` raises while it cannot be read."""
        if (stamp := self._stamp()) != self._seen:
            self._known = self._read(self._file)
            self._seen = stamp
        return self._known

    def _stamp(self) -> tuple[int, int, int] | None:
        try:
            found = self._file.stat()
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size
