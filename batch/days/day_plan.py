"""The plan for one day of a night: the revision that it will make, and the archive and definitions that it is based on.

Data flow: batch/due/plans -> DayPlan -> truth, reconciliation, settlement
Run: pytest tests/batch/test_due.py
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from batch.days.day import Day
from infra.kafka.places import Ends, Ranges


@dataclass(frozen=True)
class Settlement:
    """A day's last settlement: definitions, its sums and the stream's then (`view.measure` -> sum), and is it still in force?
    `horizon`: rows that closed then or later were open."""

    definitions: Mapping[str, str]
    totals: Mapping[str, int] | None = None
    is_in_force: bool = True
    by_stream: Mapping[str, int] = field(default_factory=dict)
    horizon: datetime | None = None


@dataclass(frozen=True)
class Redo:
    """What a run does again of a settled day. `views`: those whose rows other events than the day's, or another definition, may
    change. `topics`: those of which the archive has newer records of the day itself. Then its events are decided anew, and the
    views of these topics are computed too."""

    views: frozenset[str] = frozenset()
    topics: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.views or self.topics)


@dataclass(frozen=True)
class DayPlan:
    """A day's run. `revision`: the number of the settlement that it will make, from 1. `ends`, `archived`: end and ranges of
    the archive's offsets per partition. `previous`: the day's last settlement; None if it was never settled. `redo`: what is
    done again; None: everything. `horizon`: rows that close then or later are open; None: none is."""

    day: Day
    run: str
    revision: int
    ends: Ends
    definitions: Mapping[str, str]
    archived: Ranges = field(default_factory=dict)
    previous: Settlement | None = None
    redo: Redo | None = None
    horizon: datetime | None = None

    @property
    def replaces(self) -> bool:
        """Is the day settled now, so that this run's settlement replaces one?"""
        return self.previous is not None and self.previous.is_in_force

    def settled_by(self, view: str) -> str | None:
        """The version of a view by which the day was settled last."""
        return self.previous.definitions.get(view) if self.previous else None
