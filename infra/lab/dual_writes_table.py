"""What the dual-writes lab shows: its table, its sentence, and the promises that were not kept.

Data flow: Outcome after Outcome -> rows, sentences
Run: daybreak lab dual-writes
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from infra.lab.result import Row
from infra.shop.db.check import Comparison


class Store(StrEnum):
    """Where a writer writes."""

    DATABASE = "the database"
    INDEX = "the index"
    EVENTS = "the events"


class Step(NamedTuple):
    """One write of the application, in the order in which they took effect."""

    store: Store
    writer: int
    key: str
    title: str


@dataclass(frozen=True)
class Outcome:
    """One way: writes of the application, index and events against the database, and its `steps` where it wrote all three."""

    way: str
    writes: int
    index: Comparison
    events: Comparison
    steps: Sequence[Step]


def rows(found: Sequence[Outcome]) -> list[Row]:
    """A row per way."""
    return [
        {
            "index and events are": one.way,
            "writes": one.writes,
            "keys": one.index.rows,
            "index differs": one.index.differing,
            "events differ": one.events.differing,
            "hash of database": one.index.hashes[0],
            "of index": one.index.hashes[1],
            "of events": one.events.hashes[1],
        }
        for one in found
    ]


def interleaving(steps: Sequence[Step], store: Store) -> str | None:
    """Of the first key whose last writer in the database is not the last one in another store: who came in which order."""
    last: dict[tuple[Store, str], Step] = {(step.store, step.key): step for step in steps}
    for (where, key), step in last.items():
        other = last.get((store, key))
        if where is Store.DATABASE and other and other.title != step.title:
            first = next(one for one in steps if one.store is Store.DATABASE and one.title == other.title)
            return (
                f"of {key}, writer {first.writer} wrote '{first.title}' to {where} and then writer {step.writer} '{step.title}'; "
                f"{store} had them the other way round, and says '{other.title}' for ever"
            )
    return None


def shows(found: Sequence[Outcome]) -> str:
    """The measured figures in one sentence."""
    own, captured = found
    how = interleaving(own.steps, Store.INDEX) or "no two writers met in the index this time"
    lost = [one for one in ("the index", "the events") if _lacks(own, one)]
    return (
        f"Written by the application, {own.index.differing:,} of {own.index.rows:,} keys differ in the index and "
        f"{own.events.differing:,} in the events: {how}; and the write of the one that died is missing from "
        f"{' and '.join(lost) or 'neither'}. Captured, {captured.index.differing:,} and {captured.events.differing:,} differ."
    )


def _lacks(one: Outcome, store: str) -> bool:
    comparison = one.index if store == "the index" else one.events
    return comparison.copied < comparison.rows


def broken(found: Sequence[Outcome]) -> list[str]:
    """A sentence for each promise that was not kept."""
    captured = found[-1]
    return [
        f"{one.copy} does not equal the database although it was captured: {one.first}"
        for one in (captured.index, captured.events)
        if not one.is_equal
    ]
