"""The plan itself: what changes, which days are redone for it, on how many rows, and in how much time as measured.

Data flow: Running, Settled, versions of the code -> Compared -> lines, or JSON
Run: daybreak plan --json
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date, datetime
from typing import Any

from batch.plan import changes
from batch.plan.changes import Change, Kind
from batch.plan.days import Redone, redone, seconds, usual
from batch.plan.numbers import Numbers, Value
from batch.plan.reading import Running, Settled
from batch.plan.tried import Tried
from streaming.versions.definitions import learned
from streaming.views.view import View


@dataclass(frozen=True)
class Cost:
    """`events`: of truth on the days that are redone; `rows`: truth's rows, on these days, of the views that are computed again;
    `silver`: events of which the stream makes its views again, 0 if it does not. Seconds: as measured, None if nothing was."""

    events: int = 0
    rows: int = 0
    silver: int = 0
    day_seconds: float | None = None
    """What a day took, the median of the last ones."""
    measured: int = 0
    """Of so many."""
    stream_seconds: float | None = None
    """What the stream's last rebuild took for its views."""


@dataclass(frozen=True)
class Compared:
    """`settled`: all settled days, oldest first; `searched`: those that may have rejected records of a schema version that is
    new, by topic and version. `numbers`: of the day that was asked for."""

    at: datetime
    settled: tuple[date, ...]
    contracts: Sequence[Change]
    views: Sequence[Change]
    redone: Sequence[Redone]
    searched: Mapping[str, int]
    command: str | None
    tried: Mapping[str, Tried] = field(default_factory=dict)
    cost: Cost = field(default_factory=Cost)
    day: date | None = None
    numbers: Sequence[Numbers] = ()
    largest: Sequence[Value] = ()

    @property
    def is_same(self) -> bool:
        """Is the code what runs, and what settled all days?"""
        return not (self.contracts or self.views or self.redone)

    @property
    def recomputed(self) -> set[str]:
        """The views of which the night computes rows of settled days again, or for the first time."""
        return {name for one in self.redone for name in one.views}


def compared(runs: Running, settled: Settled, now: Mapping[str, str], known: Mapping[str, View]) -> Compared:
    """Compare by versions alone. `now`: those of the code; `known`: its views."""
    of_contracts, of_views = changes.contracts(runs.definitions, now), changes.views(runs.definitions, now, known)
    days = redone(settled.definitions, now)
    anew = {one.day for one in days if one.is_whole}
    searched: dict[str, int] = {}
    for day, by in settled.definitions.items():
        for topic, version in learned(by, now) if day not in anew else ():
            searched[f"{topic}@{version}"] = searched.get(f"{topic}@{version}", 0) + 1
    goes_on = changes.command(of_contracts, of_views, [one.day for one in days])
    return Compared(runs.at, tuple(sorted(settled.days)), of_contracts, of_views, days, searched, goes_on)


def cost(
    found: Compared,
    runs: Running,
    settled: Settled,
    events: Mapping[date, int],
    rows: Sequence[Mapping[date, int]],
    silver: int,
) -> Cost:
    """What it takes. `events`, `rows`: truth's per day, of events and of each view that is computed again."""
    days = [one.day for one in found.redone]
    took = seconds(settled.settled_at, settled.counted_at)
    is_rebuilt = any(one.kind in (Kind.NEW, Kind.CHANGED) for one in found.views)
    return Cost(
        sum(events.get(day, 0) for day in days),
        sum(own.get(day, 0) for own in rows for day in days),
        silver if is_rebuilt else 0,
        usual(took),
        len(took),
        runs.rebuilt_in if is_rebuilt else None,
    )


def as_json(found: Compared) -> dict[str, Any]:
    """As JSON's types: days and times as ISO 8601."""
    verdicts = {topic: {"is_compatible": one.is_compatible} for topic, one in found.tried.items()}
    whole = _plain(asdict(found))
    for topic, more in verdicts.items():
        whole["tried"][topic] |= more
    return {"is_same": found.is_same, **whole}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value.isoformat() if isinstance(value, date | datetime) else value
