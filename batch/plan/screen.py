"""The plan on a screen: a line per contract and view, what is redone and what it takes, and the numbers of a day.

Data flow: Compared -> lines of text, at most WIDTH wide
Run: daybreak plan
"""

from collections.abc import Iterator, Sequence
from textwrap import wrap

from batch.explain.key import parsed, shown
from batch.plan.changes import Change, Kind
from batch.plan.compared import Compared
from batch.plan.days import Redone, alike
from batch.plan.numbers import Numbers, Value
from batch.plan.tried import Tried
from infra.dates import clock
from infra.durations import span
from streaming.views import VIEWS

WIDTH = 100
INDENT = 11
MOST_NAMES = 5


def lines(found: Compared, width: int = WIDTH) -> Iterator[str]:
    """The screen, line by line."""
    days = _number(len(found.settled), "settled day")
    if found.is_same:
        of_days = f", and {'it' if len(found.settled) == 1 else 'all'} by it" if found.settled else ""
        yield from wrap(
            f"No change: this code is what runs (micro-batch of {clock(found.at)}; {days}{of_days}).", width
        )
    else:
        yield from wrap(f"This code, compared with what runs (micro-batch of {clock(found.at)}; {days}):", width)
        yield from _changes(found, width)
        yield ""
        last = ""
        for name, text in _facts(found):
            yield from _wrapped(name if name != last else "", text, width)
            last = name
    if found.day:
        yield ""
        yield from _numbers(found, width)


def _changes(found: Compared, width: int) -> Iterator[str]:
    names = [one.name for one in (*found.contracts, *found.views)]
    room = min(max(map(len, names), default=0), 30)
    for title, group in (("Contracts", found.contracts), ("Views", found.views)):
        if group:
            yield ""
            yield title
        for one in group:
            said = _contract(one, found.tried.get(one.name)) if title == "Contracts" else _view(one)
            yield from _wrapped(f"  {one.kind.value:<8} {one.name:<{room}}", said, width, 13 + room)


def _contract(one: Change, tried: Tried | None) -> str:
    learns = f"schema version {', '.join(map(str, one.versions))}, which only adds"
    match one.kind:
        case Kind.LEARNS:
            return f"compatible: {learns}"
        case Kind.NEW:
            return "the stream reads it from its beginning"
        case Kind.GONE:
            return "nobody reads it any more; what was read stays"
    more = f"; {learns}" if one.versions else ""
    if tried is None or tried.is_compatible is None:
        return f"not tried: there are no records that it has accepted{more}"
    if tried.is_compatible:
        said = f"compatible with the newest {tried.accepted:,} accepted records"
    else:
        said = f"NOT compatible: it refuses {tried.refused:,} of the newest {tried.accepted:,} accepted records, "
        said += f"e.g. {tried.refused_one}"
    if tried.freed:
        said += f"; it accepts {tried.freed:,} of {tried.quarantined:,} in quarantine, e.g. {tried.freed_one}"
    return said + more


def _view(one: Change) -> str:
    match one.kind:
        case Kind.NEW:
            return "from all of silver, and on all settled days"
        case Kind.GONE:
            return "nobody writes it any more; its rows stay"
    return f"with contract {', '.join(one.because)}" if one.because else "its own definition"


def _facts(found: Compared) -> Iterator[tuple[str, str]]:
    own, days = found.cost, len(found.redone)
    for group in alike(found.redone):
        yield "Days", _because(group)
    for name, number in found.searched.items():
        yield "Days", f"{_number(number, 'day')} redone only if records of {name} were rejected then"
    if not found.redone:
        yield "Days", "no settled day is redone for another version"
    rows = [f"the night reads {own.events:,} events again, for views with {own.rows:,} rows"] if days else []
    rows += [f"the stream reads {own.silver:,} events of silver"] if own.silver else []
    if rows:
        yield "Rows", "; ".join(rows)
    took = []
    if days:
        each = own.day_seconds
        measured = (
            f"{span(each)} a day, the median of the last {own.measured}; start, curve and gold come on top"
            if each
            else "no day was measured yet"
        )
        took.append(f"night: about {span(each * days)} ({measured})" if each else f"night: {measured}")
    if own.stream_seconds:
        took.append(f"stream: {span(own.stream_seconds)}, as its last rebuild took")
    if took:
        yield "Time", "; ".join(took)
    if found.redone and not found.day:
        yield "Numbers", f"daybreak plan --day {found.redone[-1].day} shows which of that day would change"
    if found.command:
        yield "Next", found.command


def _because(group: Sequence[Redone]) -> str:
    first, last, one = group[0].day, group[-1].day, group[0]
    days = f"{first}" if first == last else f"{first} to {last}"
    if one.is_whole:
        why = f"all of it, settled by another version of contract {_listed(one.topics)}"
    else:
        why = f"{_listed(one.views)}, settled by another version or without it"
    return f"{_number(len(group), 'day')} redone ({days}): {why}"


def _numbers(found: Compared, width: int) -> Iterator[str]:
    changed = [one for one in found.numbers if not one.is_same]
    if not changed:
        why = "no row would be another one" if found.numbers else "it was settled by these versions"
        yield f"No number of {found.day} would change: {why}."
        return
    yield f"Numbers of {found.day}, of the events that its settlement had:"
    yield from _grid(["view", "rows", "added", "gone", "changed", "sums"], [_counts(one) for one in changed], width)
    if found.largest:
        yield ""
        yield "The largest changes, by their share of the day's sum:"
        head = ["view", "key", "column", "old", "new", "why"]
        yield from _grid(head, [_value(one) for one in found.largest], width)


def _counts(one: Numbers) -> list[str]:
    moved = ", ".join(f"{name} {new - old:+,}" for name, (old, new) in one.sums.items() if new != old)
    return [one.view, *(f"{number:,}" for number in (one.rows, one.added, one.gone, one.changed)), moved]


def _value(one: Value) -> list[str]:
    view = VIEWS[one.view]
    key = ", ".join(shown(value) for value in parsed(view, [one.key]).values())
    return [one.view, key, one.column, *(_figure(value) for value in (one.old, one.new)), one.why]


def _figure(value: str | None) -> str:
    return "-" if value is None else f"{int(value):,}" if value.lstrip("-").isdecimal() else value


def _grid(head: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Rows in columns, cut at the width: all of it is in the JSON."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for row in (head, *rows):
        text = "  " + "  ".join(f"{cell:<{size}}" for cell, size in zip(row, widths, strict=True)).rstrip()
        yield text if len(text) <= width else f"{text[: width - 1]}…"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _wrapped(name: str, text: str, width: int, indent: int = INDENT) -> list[str]:
    return wrap(text, width, initial_indent=f"{name:<{indent}}", subsequent_indent=" " * indent, break_on_hyphens=False)
