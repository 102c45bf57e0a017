"""The answers to one row in the order of time: what the stream said, what each night made of it, what a person decided.

Data flow: Known -> Step per answer, with the events behind it
Run: daybreak explain order_totals "2026-01-31 12:00"
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from itertools import pairwise
from typing import Any

from batch.explain.events import Event, MicroBatch, counted
from batch.explain.key import plain
from batch.explain.known import Known
from batch.explain.reading import Row
from batch.settlement.decisions import Decision
from streaming.tables.progress import REBUILT
from streaming.views.law import ByPart

Values = Mapping[str, Any]
"""The values of a row as the ledger writes them: times are texts, in UTC."""


class Kind(StrEnum):
    """What a step is."""

    SAID = "said"
    """The stream gave this answer."""
    SAID_AGAIN = "said again"
    """A new generation of the stream's checkpoint wrote the row anew."""
    FINAL = "final"
    """The watermark passed the row's close: the stream does not change it any more."""
    REMOVED = "removed"
    """The stream took the row away."""
    UNCHANGED = "unchanged"
    """The stream has counted events of the row's part since, and the row is the same; `at` is when the last of them arrived."""
    DROPPED = "dropped"
    """The generation in force has not written the row."""
    SETTLED = "settled"
    """A night settled the day, and the truth is the answer that was given before."""
    CORRECTED = "corrected"
    """A night settled the day, and the truth is another answer."""
    WITHDRAWN = "withdrawn"
    """A settlement was taken back until a person approves the new figures."""
    REQUESTED = "requested"
    """A night asks a person: the day's correction is over its approval threshold."""
    REJECTED = "rejected"
    """A person left the day provisional."""
    APPROVED = "approved"
    """A person approved figures that no settlement has."""
    COMPARED = "compared"
    """A night has compared the row, and the day is not settled."""
    NOT_COUNTED = "not counted"
    """Events that no answer has counted yet."""


@dataclass(frozen=True)
class Step:
    """One answer, or a decision about it. `at` is null where no table says when.

    `row`, `was`: the values of the row, and before; null: no such row, or the step is about the day. `facts`: what else the
    tables say. `events`: those behind the step that are told; `more`: how many others are behind it.
    """

    at: datetime | None
    kind: Kind
    row: Values | None
    was: Values | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    events: Sequence[Event] = ()
    more: int = 0


def steps(known: Known) -> list[Step]:
    """All of them, those without a time at the end."""
    found = [*_stream(known), *_nights(known), *_decisions(known), *_unsettled(known)]
    dated = sorted(
        (one for one in found if one.at), key=lambda one: (one.at or datetime.min, list(Kind).index(one.kind))
    )
    return [*dated, *(one for one in found if not one.at)]


def values(known: Known, row: Row | None) -> Values | None:
    """A row's values without its key."""
    return None if row is None else {name: plain(row.get(name)) for name in known.view.values}


def _stream(known: Known) -> Iterator[Step]:
    was, place, generation = None, None, None
    for row in known.said:
        now = None if row["is_removed"] else values(known, row)
        upto: MicroBatch = (row["generation"], row["batch_id"])
        behind = list(counted(known.view, known.events, place, upto))
        kind = Kind.SAID
        if row["is_removed"]:
            kind = Kind.REMOVED
        elif now == was:
            kind = Kind.FINAL if row["is_final"] and generation == row["generation"] else Kind.SAID_AGAIN
        facts = {name: row[name] for name in ("generation", "batch_id", "is_final", "definition")}
        facts["is_initial"] = row["batch_id"] == REBUILT
        told = behind if isinstance(known.view.law, ByPart) and kind is not Kind.SAID_AGAIN else []
        yield Step(row["as_of"], kind, now, was, facts, told, len(behind) - len(told))
        was, place, generation = now, upto, row["generation"]
    since = list(counted(known.view, known.events, place)) if place and isinstance(known.view.law, ByPart) else []
    if since:
        yield Step(max(one.arrived for one in since), Kind.UNCHANGED, was, was, events=since)
    if generation and known.generation not in (None, generation):
        yield Step(None, Kind.DROPPED, None, was, {"in_force": known.generation})


def _nights(known: Known) -> Iterator[Step]:
    by: dict[int, list[Row]] = {}
    for row in known.corrections:
        by.setdefault(row["revision"], []).append(row)
    approvals = [one for one in known.decisions if one["decision"] == Decision.APPROVED]
    last = values(known, known.truth)
    # What a settlement without a correction confirmed is what the next correction replaced.
    answers: dict[int, Values | None] = {}
    for revision in sorted((row["revision"] for row in known.settlements), reverse=True):
        answers[revision] = last
        if revision in by:
            last = _json(by[revision][0]["old"])
    before: Row | None = None
    for settlement in known.settlements:
        revision, run = settlement["revision"], settlement["run"]
        new = [one for one in known.events if one.revision == revision and (one.cause or before)]
        facts: dict[str, Any] = {"revision": revision, "run": run, "settled_at": settlement["settled_at"]}
        facts["definition"] = settlement["definitions"].get(known.view.name)
        for decision in approvals:
            # A run may settle a day twice: what was approved before it did so first, was approved for that.
            if decision["run"] == run and (before is None or decision["decided_at"] > before["settled_at"]):
                facts |= {name: decision[name] for name in ("decided_by", "decided_at", "note")}
        if not (own := by.pop(revision, [])):
            same = [one for one in new if one.cause] if isinstance(known.view.law, ByPart) else []
            yield Step(settlement["settled_at"], Kind.SETTLED, answers[revision], answers[revision], facts, same)
        for row in own:
            facts |= {name: row[name] for name in ("cause", "sequence", "definition", "run")} | _waterfall(known, row)
            yield Step(row["corrected_at"], Kind.CORRECTED, _json(row["new"]), _json(row["old"]), dict(facts), new)
        if settlement["withdrawn_at"]:
            yield Step(settlement["withdrawn_at"], Kind.WITHDRAWN, None, facts={"revision": revision, "run": run})
        before = settlement
    for row in (one for rows in by.values() for one in rows):
        # The night ended between the ledger and the settlement.
        facts = {name: row[name] for name in ("revision", "run", "definition", "cause", "sequence")}
        yield Step(row["corrected_at"], Kind.CORRECTED, _json(row["new"]), _json(row["old"]), facts)


def _decisions(known: Known) -> Iterator[Step]:
    """Those that no settlement tells: an answer takes the place of its request, and a settlement that of its approval."""
    settled = {row["run"] for row in known.settlements}
    for one, following in pairwise([*known.decisions, None]):
        assert one is not None
        kind = Kind(one["decision"])
        is_answered = following and kind is Kind.REQUESTED and following["decision"] != Decision.REQUESTED
        if not is_answered and not (kind is Kind.APPROVED and one["run"] in settled):
            names = ("day", "run", "decided_by", "note", "view", "measure", "share", "threshold")
            yield Step(one["decided_at"], kind, None, facts={name: one[name] for name in names})


def _unsettled(known: Known) -> Iterator[Step]:
    """What the last comparison of a day that is not settled found; and events that no comparison has seen."""
    waiting = [one for one in known.events if one.revision is None]
    found = [one for one in waiting if one.cause]
    if known.difference and not known.in_force:
        found = [one for one in known.events if one.cause]
        row, was = _json(known.difference["truth"]), _json(known.difference["speed"])
        facts = {"run": known.difference["run"], "cause": "+".join(known.difference["causes"])}
        facts |= _waterfall(known, {"run": known.difference["run"], "old": known.difference["speed"]})
        yield Step(None, Kind.COMPARED, row, was, facts, found)
    told = {one.place for one in found}
    late = [
        one for one in waiting if one.late_by_ms and one.topic not in known.view.changelogs and one.place not in told
    ]
    if late:
        yield Step(None, Kind.NOT_COUNTED, None, events=late)


def _waterfall(known: Known, correction: Row) -> dict[str, Any]:
    """The row's value after each cause, if the last comparison is this run's, of the answer before, and has several causes."""
    found = known.difference
    if (
        not found
        or found["run"] != correction["run"]
        or found["speed"] != correction["old"]
        or len(found["causes"]) < 2
    ):
        return {}
    return {"waterfall": {one["cause"]: _json(one["value"]) for one in found["waterfall"]}}


def _json(text: str | None) -> Values | None:
    return None if text is None else dict(json.loads(text))
