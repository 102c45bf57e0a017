"""The whole answer as one object, for programs.

Data flow: Known, its steps -> a dict of JSON's types
Run: daybreak explain order_totals "2026-01-31 12:00" --json
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from batch.explain.events import Event
from batch.explain.key import plain
from batch.explain.known import Known
from batch.explain.steps import Step, values

MOST = 1_000
"""Events of one step that are told; the others are counted."""


def answer(known: Known, steps: Sequence[Step]) -> dict[str, Any]:
    """Times are texts in UTC. `told` of `in_all` events that the row may need stand at a step; `more` at a step are not told."""
    return {
        "view": known.view.name,
        "key": {name: plain(known.key.values[name]) for name in known.view.key},
        "day": plain(known.key.day),
        "status": known.status,
        "row": values(known, known.row),
        "steps": [_step(one) for one in steps],
        "events": {"in_all": len(known.events), "told": told(steps), "of": known.of},
        "gold": {"table": known.model, "row": plain(known.gold)} if known.model else None,
    }


def told(steps: Sequence[Step]) -> int:
    """How many events stand at a step."""
    return len({event.place for one in steps for event in one.events[:MOST]})


def _step(one: Step) -> dict[str, Any]:
    facts = plain(dict(one.facts))
    events = [_event(event) for event in one.events[:MOST]]
    more = one.more + max(len(one.events) - MOST, 0)
    return {
        "at": plain(one.at),
        "kind": one.kind.value,
        "row": one.row,
        "was": one.was,
        **facts,
        "events": events,
        "more": more,
    }


def _event(event: Event) -> dict[str, Any]:
    found = asdict(event)
    batch = found.pop("micro_batch")
    return plain(found | {"generation": batch[0] if batch else None, "batch_id": batch[1] if batch else None})  # type: ignore[no-any-return]
