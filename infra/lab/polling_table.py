"""What the polling lab shows: its table, its sentence, and the promises that were not kept.

Data flow: Scene, Follower after Follower -> rows, sentences
Run: daybreak lab polling
"""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import quantiles
from typing import Literal, NamedTuple

from infra.lab.result import Row

READY_SECONDS = 60


class Change(NamedTuple):
    """A change of a row: the value that was written, or the one that was deleted; no value is written twice."""

    what: Literal["write", "delete"]
    value: int


class Ready:
    """Counts who is ready."""

    def __init__(self) -> None:
        self._one = threading.Semaphore(0)

    def tell(self) -> None:
        """One more is ready."""
        self._one.release()

    def wait_for(self, number: int) -> None:
        """Wait for so many, READY_SECONDS each at most."""
        for _ in range(number):
            self._one.acquire(timeout=READY_SECONDS)


@dataclass
class Scene:
    """What writer and followers share: when each change was committed (monotonic seconds), who looks, and the end."""

    commits: dict[Change, float] = field(default_factory=dict)
    unwatched: set[Change] = field(default_factory=set)
    ready: Ready = field(default_factory=Ready)
    away: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)

    def happened(self, change: Change) -> None:
        """It is committed now."""
        self.commits[change] = time.monotonic()
        if self.away.is_set():
            self.unwatched.add(change)


@dataclass
class Follower:
    """One way to follow: when it first saw each change (monotonic seconds), its queries, and CPU seconds."""

    way: str
    seen: dict[Change, float] = field(default_factory=dict)
    queries: int = 0
    cpu: float = 0.0

    def see(self, change: Change) -> None:
        """It is seen now."""
        self.seen.setdefault(change, time.monotonic())


def rows(scene: Scene, found: Sequence[Follower]) -> list[Row]:
    """A row per way. Delays are of changes that were made while the followers looked, in milliseconds."""
    return [_row(scene, one) for one in found]


def _row(scene: Scene, one: Follower) -> Row:
    watched = [change for change in scene.commits if change in one.seen and change not in scene.unwatched]
    p50, p95 = percentiles([one.seen[change] - scene.commits[change] for change in watched])
    return {
        "way": one.way,
        "queries": one.queries,
        "p50 (ms)": p50,
        "p95 (ms)": p95,
        "values unseen": len(unseen(scene, one, "write")),
        "deletions unseen": len(unseen(scene, one, "delete")),
        "unseen while away": sum(change in scene.unwatched for change in scene.commits.keys() - one.seen.keys()),
        "CPU (ms per change)": f"{1000 * one.cpu / max(len(scene.commits), 1):.1f}",
    }


def percentiles(delays: Sequence[float]) -> tuple[str, str]:
    """Median and 95th percentile of seconds, in milliseconds; a dash without two."""
    if len(delays) < 2:
        return "-", "-"
    cuts = quantiles(delays, n=20, method="inclusive")
    return f"{1000 * max(cuts[9], 0):.0f}", f"{1000 * max(cuts[18], 0):.0f}"


def unseen(scene: Scene, one: Follower, what: str) -> list[Change]:
    """The changes of a kind that a follower never saw."""
    return [change for change in scene.commits if change.what == what and change not in one.seen]


def shows(scene: Scene, found: Sequence[Follower]) -> str:
    """The measured figures in one sentence."""
    *polls, told, captured = found
    worst, missed = polls[-1], len(unseen(scene, polls[-1], "write"))
    of_told, of_captured = (len(scene.commits.keys() - one.seen.keys()) for one in (told, captured))
    return (
        f"Of {len(scene.commits):,} changes, {worst.way} missed {missed:,} values that were gone before it looked, "
        f"and no query saw a deletion; notifications missed {of_told:,}, sent while nobody listened; change capture missed "
        f"{of_captured:,}."
    )


def broken(scene: Scene, found: Sequence[Follower]) -> list[str]:
    """A sentence for each promise that was not kept."""
    *_, told, captured = found
    wrong = []
    if lost := scene.commits.keys() - captured.seen.keys():
        wrong.append(f"change capture missed {len(lost)} changes")
    if lost := scene.commits.keys() - told.seen.keys() - scene.unwatched:
        wrong.append(f"{len(lost)} notifications did not reach a client that listened")
    return wrong
