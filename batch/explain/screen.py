"""The answer on a screen: a line or two per step, the events behind it in columns, and what gold has.

Data flow: Known, its steps -> lines of text, as wide as the terminal, at most WIDTH
Run: daybreak explain order_totals "2026-01-31 12:00"
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from textwrap import wrap

from batch.explain.answer import told
from batch.explain.events import Event
from batch.explain.key import plain, shown
from batch.explain.known import Known
from batch.explain.steps import Kind, Step, values
from batch.explain.words import listed, more, says
from infra.dates import clock

WIDTH = 100
INDENT = 21
FEW_ANSWERS, FEW_EVENTS = 5, 10
"""What is told of the stream's answers, and of a step's events; the others are counted. All are in the JSON."""
SHORT = 8
"""Characters of an event id that tell it from others on a screen."""
STREAM = (Kind.SAID, Kind.SAID_AGAIN, Kind.FINAL, Kind.REMOVED)
HEAD = ("event", "happened", "arrived", "late by", "place", "cause")


def lines(known: Known, steps: Sequence[Step], width: int = WIDTH) -> Iterator[str]:
    """The screen, line by line."""
    key = ", ".join(f"{name} {shown(value)}" for name, value in known.key.values.items())
    yield from wrap(f"{known.view.name}, {key}, day {known.key.day}", width)
    yield from wrap(f"{_now(known)}: {listed(values(known, known.row))}", width)
    yield ""
    events = _Columns(known, steps)
    last: dict[str, str] = {}
    for one in _few(steps):
        if isinstance(one, str):
            yield " " * INDENT + one
            continue
        said = [says(one)]
        for name in ("generation", "definition"):
            if one.facts.get(name) not in (None, last.get(name)):
                last[name] = one.facts[name]
                said.append(f"{name} {last[name]}")
        yield from _wrapped("; ".join(said), width, clock(one.at) if one.at else "-")
        for text in more(one):
            yield from _wrapped(text, width, "")
        yield from events.of(one)
    yield ""
    number, of_them = len(known.events), told(steps)
    above = "all" if of_them == number else f"{of_them:,} of them" if of_them else "none"
    yield from wrap(f"{number:,} events can be behind the row ({above} told above): those {known.of}.", width)
    yield from wrap(_gold(known), width)


def _few(steps: Sequence[Step]) -> Iterator[Step | str]:
    """All steps, but of many answers of the stream, and of many settlements that change nothing, the first and the last ones."""
    stream = [one for one in steps if one.kind in STREAM]
    same = [one for one in steps if one.kind is Kind.SETTLED]
    hidden = {id(one) for one in (*(stream[2:-2] if len(stream) > FEW_ANSWERS else []), *same[1:-1])}
    run = 0
    for one in steps:
        if id(one) in hidden:
            run += 1
            continue
        if run:
            yield f"... {run:,} more answers (--json)"
        run = 0
        yield one


def _now(known: Known) -> str:
    if known.status == "provisional":
        return "Provisional, the stream's answer"
    return f"{known.status.capitalize()}, the truth since {clock(known.settlements[-1]['settled_at'])}"


class _Columns:
    """Events in columns of the same width at all steps, with a head above the first."""

    def __init__(self, known: Known, steps: Sequence[Step]) -> None:
        self._day, self._has_head = known.key.day, False
        cells = [self._cells(event) for one in steps for event in one.events[:FEW_EVENTS]]
        self._widths = [max(map(len, column)) for column in zip(HEAD, *cells, strict=True)]

    def of(self, one: Step) -> Iterator[str]:
        if one.events and not self._has_head:
            self._has_head = True
            yield self._line(HEAD)
        for event in one.events[:FEW_EVENTS]:
            yield self._line(self._cells(event))
        if (hidden := len(one.events) - FEW_EVENTS) > 0:
            yield f"    ... {hidden:,} more events (--json)"

    def _line(self, cells: Sequence[str]) -> str:
        return ("    " + "  ".join(f"{cell:<{size}}" for cell, size in zip(cells, self._widths, strict=True))).rstrip()

    def _cells(self, event: Event) -> tuple[str, ...]:
        happened, arrived = (_short(at, self._day) for at in (event.happened, event.arrived))
        why = "" if event.cause is None else event.cause.replace("_", " ") + (" -" if event.side == "take" else "")
        return f"{event.event_type} {event.event_id[:SHORT]}", happened, arrived, _late(event), event.place, why


def _late(event: Event) -> str:
    seconds = event.late_by_ms / 1000
    for unit, size in (("days", 86_400), ("h", 3_600), ("min", 60), ("s", 1)):
        if seconds >= size:
            return f"{seconds / size:,.1f} {unit}"
    return f"{event.late_by_ms} ms" if event.late_by_ms else ""


def _short(at: datetime, day: date) -> str:
    """A time of day; of another day with that."""
    at = at.astimezone(UTC)
    return f"{at:%H:%M:%S}" if at.date() == day else f"{at:%m-%d %H:%M:%S}"


def _gold(known: Known) -> str:
    row, now = known.gold, values(known, known.row)
    if not known.model:
        return "Gold has no table with this row."
    if row is None:
        return f"{known.model} does not have it{'.' if now is None else ' yet: its next build takes it.'}"
    compared = [name for name in known.view.values if name in row and name not in known.view.while_open]
    is_old = row.get("status") != known.status or any(plain(row[name]) != (now or {}).get(name) for name in compared)
    at = f" as of {clock(row['as_of'])}" if row.get("as_of") else ""
    return f"{known.model} has it: {row.get('status')}{at}{', from before the last answer above.' if is_old else '.'}"


def _wrapped(text: str, width: int, at: str) -> list[str]:
    """Text in lines, behind a time or the room for it."""
    return wrap(text, width, initial_indent=f"{at:<{INDENT}}", subsequent_indent=" " * INDENT, break_long_words=False)
