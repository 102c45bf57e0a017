"""A step in words: which answer it is, what it changed, and who made it.

Data flow: Step -> sentences of the screen
Run: daybreak explain order_totals "2026-01-31 12:00"
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from batch.explain.steps import Kind, Step, Values
from infra.dates import clock


def says(one: Step) -> str:
    """The step's first sentence."""
    facts, change = one.facts, changed(one.was, one.row)
    match one.kind:
        case Kind.SAID:
            return f"stream: {change}; {_micro_batch(one)}" + (", final" if facts["is_final"] else "")
        case Kind.SAID_AGAIN:
            return f"stream: the same again; {_micro_batch(one)}"
        case Kind.FINAL:
            return f"stream: final, the watermark has passed its close; {_micro_batch(one)}"
        case Kind.REMOVED:
            return f"stream: removed; {_micro_batch(one)}"
        case Kind.SETTLED:
            return f"truth, revision {facts['revision']}: the same; night {facts['run']}"
        case Kind.CORRECTED:
            why = f"corrected because of {_causes(one)}"
            return f"truth, revision {facts['revision']}, {why}: {change}; night {facts['run']}"
        case Kind.WITHDRAWN:
            return f"revision {facts['revision']} withdrawn until a person approves the new figures: the stream serves again"
        case Kind.COMPARED:
            return f"compared by night {facts['run']}, not settled; because of {_causes(one)} it would be: {change}"
        case Kind.NOT_COUNTED:
            return "late, and in no answer yet: the next night of the day counts"
        case Kind.REQUESTED:
            of = f"{facts['measure']} of {facts['view']}"
            share = f"{facts['share']:.1%} of the truth, and {facts['threshold']:.1%} needs none"
            how = f"daybreak decide --date {facts['day']} --approve, or --reject"
            return f"night {facts['run']} asks for an approval of the day, because of {of}: {share} ({how})"
        case Kind.UNCHANGED:
            return "stream: counted since, without another answer"
        case Kind.DROPPED:
            return f"stream: generation {facts['in_force']} does not have the row"
    return f"{one.kind} by {facts['decided_by']}: {facts['note']!r}; night {facts['run']}"


def more(one: Step) -> Iterator[str]:
    """What else is said of the step: who approved it, and what each of several causes changed."""
    if one.kind in (Kind.SETTLED, Kind.CORRECTED) and one.facts.get("decided_by"):
        yield f"approved by {one.facts['decided_by']} at {clock(one.facts['decided_at'])}: {one.facts['note']!r}"
    for (_, was), (cause, now) in pairwise((one.facts.get("waterfall") or {}).items()):
        if was != now:
            yield f"{cause.replace('_', ' ')}: {changed(was, now)}"


def changed(was: Values | None, now: Values | None) -> str:
    """From one answer to the next."""
    if was is None or now is None:
        return f"new row: {listed(now)}" if was is None else f"no such row any more; it was {listed(was)}"
    names = [name for name in now if now[name] != was.get(name)]
    return ", ".join(f"{name} {_value(was.get(name))} -> {_value(now[name])}" for name in names) or "the same"


def listed(row: Values | None) -> str:
    """All values of a row."""
    return "no such row" if row is None else ", ".join(f"{name} {_value(value)}" for name, value in row.items())


def _micro_batch(one: Step) -> str:
    of = "initial write" if one.facts["is_initial"] else f"micro-batch {one.facts['batch_id']}"
    return of + (f" with {one.more:,} event{'s' if one.more > 1 else ''}" if one.more else "")


def _causes(one: Step) -> str:
    return str(one.facts["cause"]).replace("_", " ").replace("+", " and ")


def _value(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, str) and value.endswith("Z") and value[10:11] == "T":
        return value.replace("T", " ").removesuffix("Z").removesuffix(".000")
    return "null" if value is None else str(value)
