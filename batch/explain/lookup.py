"""Find the row that is asked for: its whole key and its day, by some of its columns.

Data flow: values by column -> rows of speed and truth, corrections -> the row's key and day, or the nearest keys
Run: daybreak explain order_payments order_id=o-0123abcd
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from heapq import nsmallest
from itertools import islice, takewhile
from typing import Any

import pyarrow.compute as pc

from batch.corrections.ledger import CORRECTIONS
from batch.explain.key import Values, as_json, command, looks, shown
from batch.explain.reading import Reading, Where, equal
from batch.truth.recompute import truth_table
from infra.failures import PermanentFailure
from streaming.tables.speed import speed_table
from streaming.views.view import View

NEAR = 3
"""How many rows an error names."""
LOOKED_AT = 100_000
"""How many rows are looked at to find them."""


@dataclass(frozen=True)
class Key:
    """The one row that is meant: its key by column, and its day."""

    view: View
    values: Values
    day: date

    @property
    def json(self) -> str:
        """The key in the tables of reconciliation."""
        return as_json(self.view, self.values)


def found(lake: Reading, view: View, given: Values, day: date | None) -> Key:
    """The row with these values. Raises PermanentFailure, which names rows that exist, if there is none or more than one."""
    own = equal(**(given if day is None else {**given, "day": day}))
    names = list(dict.fromkeys((*view.key, "day")))
    rows_of = lake.rows((speed_table(view), names, own), (truth_table(view), names, own))
    keys = {(*(row[name] for name in view.key), row["day"]) for rows in rows_of for row in rows}
    if {*view.key} <= {*given}:
        # A row that neither layer has any more still has its corrections.
        more = {} if day is None else {"day": day}
        (corrected,) = lake.rows((CORRECTIONS, ["day"], equal(view=view.name, key=as_json(view, given), **more)))
        known = {one[-1] for one in keys}
        keys |= {(*(given[name] for name in view.key), row["day"]) for row in corrected if row["day"] not in known}
    if not keys:
        raise PermanentFailure(_unknown(lake, view, given, day))
    if len(keys) > 1:
        raise PermanentFailure(_several(view, given, keys))
    (one,) = keys
    return Key(view, dict(zip(view.key, one[:-1], strict=True)), one[-1])


def _several(view: View, given: Values, keys: set[tuple[Any, ...]]) -> str:
    """More than one row: each with the command that explains it."""
    some = sorted(keys, key=str)
    same = {one[:-1] for one in keys}
    if len(same) == 1:
        values = dict(zip(view.key, some[0][:-1], strict=True))
        days = ", ".join(str(one[-1]) for one in some)
        return f"{view.name} has this key on several days, {days}: choose one: {command(view, values, some[-1][-1])}"
    lines = "; ".join(command(view, dict(zip(view.key, one[:-1], strict=True)), one[-1]) for one in some[:NEAR])
    asked = ", ".join(f"{name}={shown(value)}" for name, value in given.items())
    return f"{len(keys):,} rows of {view.name} have {asked}: choose one, e.g. {lines}"


def _unknown(lake: Reading, view: View, given: Values, day: date | None) -> str:
    asked = ", ".join(f"{name}={shown(value)}" for name, value in given.items())
    start = f"{view.name} has no row with {asked}{f' on {day}' if day else ''}, neither in the stream nor in the truth"
    near = [command(view, one) for one in _near(lake, view, given)]
    if not near:
        return f"{start}: it has no rows yet; {looks(view)}"
    return f"{start}: {looks(view)}; near it there are {'; '.join(near)}"


def _near(lake: Reading, view: View, given: Values) -> list[Values]:
    """Keys that exist, by the distance of their first column that was given; any if none was."""
    name = next((one for one in view.key if given.get(one) is not None), None)
    for around in _around(name, given[name]) if name else [None]:
        best: set[tuple[Any, ...]] = set()
        for row in islice(_keys(lake, view, around), LOOKED_AT):
            values = tuple(row[one] for one in view.key)
            if None not in values:
                best.add((_distance(row[name], given[name]) if name else 0.0, str(values), values))
        if len(best) >= NEAR or around is None:
            return [dict(zip(view.key, one[-1], strict=True)) for one in nsmallest(NEAR, best)]
    return []


def _around(name: str, value: Any) -> Iterator[Where | None]:
    """Where to look for rows near a value, wider each time: whole tables are read only if there is nothing nearer."""
    at = pc.field(name)
    if isinstance(value, datetime):
        for span in (timedelta(hours=1), timedelta(days=1)):
            first, last = value - span, value + span
            yield Where((at >= first) & (at <= last), [(name, ">=", first), (name, "<=", last)])
    if isinstance(value, str):
        for size in (6, 3):
            yield Where(pc.starts_with(at, value[:size]))
    yield None


def _keys(lake: Reading, view: View, around: Where | None) -> Iterator[Mapping[str, Any]]:
    for table in (truth_table(view), speed_table(view)):
        for piece in lake.pieces(table, view.key, around or equal()):
            yield from piece.to_pylist()


def _distance(own: Any, other: Any) -> float:
    """Of times in seconds, of numbers their difference; of texts the fewer, the longer they begin alike."""
    if isinstance(own, datetime):
        return float(abs((own.astimezone(UTC) - other).total_seconds()))
    if isinstance(own, str):
        return -sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(own, other, strict=False)))
    return float(abs(own - other)) if isinstance(own, int) else 0.0


def of_json(view: View, key: str, value: str | None) -> dict[str, Any] | None:
    """A row of the ledger (key and values as JSON) with times as such; None for no row."""
    if value is None:
        return None
    row = {**json.loads(key), **json.loads(value)}
    times = {one.name for one in view.columns if one.dataType.simpleString() == "timestamp"}
    return {
        name: datetime.fromisoformat(one) if name in times and one is not None else one for name, one in row.items()
    }
