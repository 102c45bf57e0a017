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
    """What writer and followers share: when each change was begun, and known to be committed (monotonic seconds), who looks, and
    the end."""

    begun: dict[Change, float] = field(default_factory=dict)
    commits: dict[Change, float] = field(default_factory=dict)
    ready: Ready = field(default_factory=Ready)
    away: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)

    def happened(self, change: Change, begun: float) -> None:
        """It is committed now, or since a moment: it was begun then."""
        self.begun[change] = begun
        self.commits[change] = time.monotonic()


@dataclass
class Follower:
    """One way to follow: when it first saw each change (monotonic seconds), its queries and CPU seconds, and from when to when
    it did not look (`absent`)."""

    way: str
    seen: dict[Change, float] = field(default_factory=dict)
    queries: int = 0
    cpu: float = 0.0
    absent: list[tuple[float, float]] = field(default_factory=list)

    def see(self, change: Change) -> None:
        """It is seen now."""
        self.seen.setdefault(change, time.monotonic())

    def missed(self, scene: Scene) -> set[Change]:
        """The changes that it never saw."""
        return scene.commits.keys() - self.seen.keys()

    def was_absent(self, scene: Scene, change: Change) -> bool:
        """May the change have been committed while it did not look?"""
        begun, committed = scene.begun[change], scene.commits[change]
        return any(start <= committed and begun <= end for start, end in self.absent)


def rows(scene: Scene, found: Sequence[Follower]) -> list[Row]:
    """A row per way. Delays are of changes that were made while the followers looked, in milliseconds."""
    return [_row(scene, one) for one in found]


def _row(scene: Scene, one: Follower) -> Row:
    watched = [change for change in scene.commits if change in one.seen and not one.was_absent(scene, change)]
    p50, p95 = percentiles([one.seen[change] - scene.commits[change] for change in watched])
    missed = one.missed(scene)
    return {
        "way": one.way,
        "queries": one.queries,
        "p50 (ms)": p50,
        "p95 (ms)": p95,
        "values unseen": sum(change.what == "write" for change in missed),
        "deletions unseen": sum(change.what == "delete" for change in missed),
        "unseen while away": sum(one.was_absent(scene, change) for change in missed),
        "CPU (ms per change)": f"{1000 * one.cpu / max(len(scene.commits), 1):.1f}",
    }


def percentiles(delays: Sequence[float]) -> tuple[str, str]:
    """Median and 95th percentile of seconds, in milliseconds; a dash without two."""
    if len(delays) < 2:
        return "-", "-"
    cuts = quantiles(delays, n=20, method="inclusive")
    return f"{1000 * max(cuts[9], 0):,.1f}", f"{1000 * max(cuts[18], 0):,.1f}"


def shows(scene: Scene, found: Sequence[Follower]) -> str:
    """The measured figures in one sentence."""
    *polls, told, captured = found
    worst, missed = polls[-1], sum(change.what == "write" for change in polls[-1].missed(scene))
    of_told, of_captured = len(told.missed(scene)), len(captured.missed(scene))
    return (
        f"Of {len(scene.commits):,} changes, {worst.way} missed {missed:,} values that were gone before it looked, "
        f"and no query saw a deletion; notifications missed {of_told:,}, sent while nobody listened; change capture missed "
        f"{of_captured:,}."
    )


def broken(scene: Scene, found: Sequence[Follower]) -> list[str]:
    """A sentence for each promise that was not kept."""
    *_, told, captured = found
    wrong = []
    if lost := captured.missed(scene):
        wrong.append(f"change capture missed {len(lost)} changes")
    if unheard := [change for change in told.missed(scene) if not told.was_absent(scene, change)]:
        wrong.append(f"{len(unheard)} notifications did not reach a client that listened")
    return wrong
