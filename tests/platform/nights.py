"""Nights by hand, one after the other, that can be killed; and whether both layers have the same at the end.

Data flow: `python -m batch night` again and again -> how each ended; bronze and archive, silver and truth -> what differs
Run: pytest tests/platform/every_part
"""

import os
import signal
import subprocess
from collections import Counter
from contextlib import suppress
from datetime import date
from threading import Event, Thread

from accounting import where
from running import VIEWS, Platform
from truth_check import RECOMPUTED, answered, silver_events, unlike_silver

PAUSE_SECONDS = 2


class Nights:
    """Nights of one day for as long as the block runs: one that has ended or died is followed by the next."""

    def __init__(self, platform: Platform, day: date) -> None:
        self._platform, self._day = platform, day
        self._over = Event()
        self._now: subprocess.Popen[str] | None = None
        self._thread = Thread(target=self._run)
        self.ended: Counter[int] = Counter()

    def __enter__(self) -> "Nights":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def kill(self) -> bool:
        """`kill -9` the night of now with its JVM; was there one?"""
        night = self._now
        if night is None or night.poll() is not None:
            return False
        with suppress(ProcessLookupError):
            os.killpg(night.pid, signal.SIGKILL)
        return True

    def _run(self) -> None:
        while not self._over.wait(PAUSE_SECONDS):
            self._now = self._platform.begin("batch", "night", "--date", str(self._day))
            self._now.communicate()
            self.ended[self._now.returncode] += 1


def unequal(platform: Platform, day: date) -> list[str]:
    """What the layers do not have alike: each record that the night has read, the day's events, and both views of them."""
    read = {layer: _records(platform, f"{layer}/events") for layer in ("bronze", "archive")}
    faults = [
        f"{layer}: {at} {times} times" for layer, found in read.items() for at, times in found.items() if times > 1
    ]
    last: dict[tuple[str, int], int] = {}
    for topic, partition, offset, *_ in read["archive"]:
        last[topic, partition] = max(offset, last.get((topic, partition), -1))
    bronze = {at for at in read["bronze"] if at[2] <= last.get((at[0], at[1]), -1)}
    faults += [f"not in both bronze and archive: {at[:3]}" for at in bronze ^ read["archive"].keys()]
    ids = {layer: _ids(platform, f"{layer}/events", day) for layer in ("silver", "truth")}
    faults += [] if ids["silver"] else [f"silver has no event of {day}"]
    faults += [
        f"not once in both silver and truth: {one}"
        for one in (ids["silver"] - ids["truth"]) + (ids["truth"] - ids["silver"])
    ]
    silver = silver_events(platform)
    for view in VIEWS:
        expected = {key: row for key, row in RECOMPUTED[view](silver).items() if key[-1] == day}
        found = {key: values for key, values, _ in answered(platform, "truth", view) if key[-1] == day}
        faults += [
            f"truth/{view}: {key}" for key in expected.keys() | found.keys() if expected.get(key) != found.get(key)
        ]
    return faults + unlike_silver(platform, silver)


def _records(platform: Platform, table: str) -> Counter[tuple[object, ...]]:
    rows = platform.rows(table, "topic", "partition", "offset", "key", "value")
    return Counter((*where(row), row["key"], row["value"]) for row in rows)


def _ids(platform: Platform, table: str, day: date) -> Counter[str]:
    return Counter(row["event_id"] for row in platform.rows(table, "event_id", "day") if row["day"] == day)
