"""CPU seconds and memory of processes with all that they start, those that have ended included.

Data flow: the kernel's counters of process trees, looked at twice a second -> seconds per root
Run: make bench
"""

import time
from collections.abc import Mapping
from contextlib import suppress
from threading import Event, Thread
from types import TracebackType

import psutil

LOOK_SECONDS = 0.5
"""What a process spends between the last look and its end is not seen: half a second at most."""
Key = tuple[int, float]
"""Number and start of a process: a number alone is used again."""


class Meter:
    """CPU seconds of the trees under `roots` (name -> pid) since the block began."""

    def __init__(self, roots: Mapping[str, int]) -> None:
        self._roots = dict(roots)
        self._seen: dict[Key, tuple[str, float]] = {}
        self._before: dict[Key, float] = {}
        self._stop = Event()
        self._thread = Thread(target=self._look_on, daemon=True)
        self._began = time.monotonic()

    def __enter__(self) -> "Meter":
        self._look()
        self._before = {key: spent for key, (_, spent) in self._seen.items()}
        self._began = time.monotonic()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()
        self._look()

    @property
    def wall(self) -> float:
        """Seconds since the block began."""
        return time.monotonic() - self._began

    def by_root(self) -> dict[str, float]:
        """CPU seconds so far, per root."""
        if not self._stop.is_set():
            self._look()
        found = dict.fromkeys(self._roots, 0.0)
        for key, (name, spent) in list(self._seen.items()):
            found[name] += spent - self._before.get(key, 0.0)
        return found

    def total(self) -> float:
        """CPU seconds so far."""
        return sum(self.by_root().values())

    def _look_on(self) -> None:
        while not self._stop.wait(LOOK_SECONDS):
            self._look()

    def _look(self) -> None:
        for name, pid in self._roots.items():
            with suppress(psutil.NoSuchProcess):
                root = psutil.Process(pid)
                for one in (root, *root.children(recursive=True)):
                    with suppress(psutil.NoSuchProcess):
                        spent = one.cpu_times()
                        self._seen[one.pid, one.create_time()] = (name, spent.user + spent.system)


def memory(roots: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Bytes of the trees now: resident (what is shared counted in each), and proportional (counted once)."""
    found = {}
    for name, pid in roots.items():
        resident = proportional = 0
        with suppress(psutil.NoSuchProcess):
            root = psutil.Process(pid)
            for one in (root, *root.children(recursive=True)):
                with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
                    full = one.memory_full_info()
                    resident, proportional = resident + full.rss, proportional + full.pss
        found[name] = (resident, proportional)
    return found
