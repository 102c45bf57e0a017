"""The blast radius of a changed definition: per day and view, how many rows it changed, and each measure's change.

Data flow: reconciliation/{corrections,differences,summary} -> Radius per day and view
Run: daybreak reconciliation --from 2026-01-01 --to 2026-01-03
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import pyarrow.compute as pc

from batch.corrections.ledger import CORRECTIONS
from batch.reconciliation.causes import Cause
from batch.reconciliation.differences import DIFFERENCES, SUMMARY
from infra.lake.reader import exists, read
from infra.settings import Settings

EVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Radius:
    """How many rows of a view on a day another version had answered differently; `moved`: change of each measure's sum."""

    day: date
    view: str
    rows: int
    moved: dict[str, int]

    def __str__(self) -> str:
        sums = ", ".join(f"{measure} {by:+,}" for measure, by in self.moved.items() if by) or "no sum"
        rows = f"{self.rows:,} rows of {self.view} on {self.day}"
        return f"{rows} had been written by another version; the new version moved {sums}"


def redefined(s: Settings, first: date, last: date, since: datetime = EVER) -> list[Radius]:
    """What was corrected on the days [first, last], at `since` or later, because another version gave the last answer.

    `moved` holds only what the definition changed: the difference between the two versions' answers from the same events.
    What late events and other causes changed is in the summary.
    """
    if not exists(s, CORRECTIONS.id):
        return []
    days = (pc.field("day") >= first) & (pc.field("day") <= last)
    measures: dict[tuple[date, str], list[str]] = defaultdict(list)
    for row in read(s, SUMMARY.id, ["day", "view", "measure"], where=days).to_pylist():
        measures[row["day"], row["view"]].append(row["measure"])
    present = {
        (row["run"], row["view"], row["key"]): row["speed"]
        for row in read(s, DIFFERENCES.id, ["view", "key", "speed", "run"], where=days).to_pylist()
    }
    keys: dict[tuple[date, str], set[str]] = defaultdict(set)
    moved: dict[tuple[date, str], dict[str, int]] = {}
    for row in _corrections(s, days, since):
        at = (row["day"], row["view"])
        before = json.loads(row["old"] or "{}")
        after = json.loads(present.get((row["run"], row["view"], row["key"]), row["new"]) or "{}")
        sums = moved.setdefault(at, dict.fromkeys(measures[at], 0))
        for measure in sums:
            sums[measure] += (after.get(measure) or 0) - (before.get(measure) or 0)
        keys[at].add(row["key"])
    return [Radius(*at, len(keys[at]), moved[at]) for at in sorted(moved)]


def _corrections(s: Settings, days: pc.Expression, since: datetime) -> Iterator[dict[str, Any]]:
    columns = ["day", "view", "key", "old", "new", "cause", "run", "corrected_at"]
    for row in read(s, CORRECTIONS.id, columns, where=days).to_pylist():
        if Cause.DEFINITION in (row["cause"] or "").split("+") and row["corrected_at"] >= since:
            yield row
