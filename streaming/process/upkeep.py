"""Maintenance beside the micro-batches: compaction of the stream's tables every two minutes, the rest once a day.

Data flow: the stream's tables -> compact, delete expired rows, vacuum (delta-rs), in a thread of the stream's process
Run: python -m streaming

A micro-batch leaves a small file per table and day. Without compaction, look-ups, restarts and nightly runs would
become slower every hour. A compaction does not conflict with an append, and this process does both.
"""

from collections.abc import Sequence
from threading import Event, Thread

from deltalake.exceptions import DeltaError

from infra import left_behind, logs
from infra.failures import PermanentFailure, TransientFailure
from infra.lake.tables import Table
from infra.lake.upkeep import Daily, compact, shorten, tidy
from infra.settings import settings
from streaming.state.changelog import never_deleted
from streaming.tables.silver import SILVER

EVERY_SECONDS = 120
SHORTEN_EVERY = 5
"""Rounds between two removals of expired log entries: ten minutes."""


class Upkeep:
    """The maintenance thread; `stop` waits for the running operation."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self._tables = tables
        self._stop = Event()
        self._daily = Daily()
        self._rounds = 0
        self._thread = Thread(target=self._run, name="upkeep", daemon=True)

    def start(self) -> None:
        """Start the thread; the first compaction comes after EVERY_SECONDS."""
        self._thread.start()

    def stop(self) -> None:
        """Let a running compaction end (up to 30 s), and begin no other."""
        self._stop.set()
        self._thread.join(timeout=30)

    def _run(self) -> None:
        while not self._stop.wait(EVERY_SECONDS):
            try:
                self._once()
            except (DeltaError, OSError, PermanentFailure, TransientFailure) as failure:
                # The tables stay correct without it; the next round tries again.
                logs.line(f"upkeep failed and will be tried again: {failure}", "daybreak stream")

    def _once(self) -> None:
        if self._daily.due():
            tidy(self._tables, never_deleted(SILVER))
            left_behind.remove_old(settings())
        self._rounds += 1
        for table in self._tables:
            if self._stop.is_set():
                return
            compact(table)
            if self._rounds % SHORTEN_EVERY == 0:
                shorten(table)
