"""Where a situation is played: its queue or topic, and the processes that it may take.

Data flow: a queue or a topic, Processes -> Stage -> infra/lab/queue/scene.py
Run: daybreak lab queue
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from infra.lab.processes.process import Process
from infra.lab.queue.job import Access, Way


class Spare:
    """Processes that wait for a job; a situation takes one when it needs it."""

    def __init__(self, processes: Sequence[Process]) -> None:
        self._left, self._lock = list(processes), threading.Lock()

    def take(self) -> Process:
        """One that has none yet."""
        with self._lock:
            return self._left.pop()


@dataclass(frozen=True)
class Stage:
    """Where a situation is played: `source`, a queue or a topic that it has for itself, and processes to take."""

    way: Way
    source: str
    access: Access
    spare: Spare
    ledger: Path
    attempts: int
