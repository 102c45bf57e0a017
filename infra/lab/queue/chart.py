"""The chart of the lab of the queue: in which order messages were processed when a consumer died, and how fast they are taken.

Data flow: the rows of a kept result -> HTML, which loads nothing
Run: daybreak lab queue
"""

from collections.abc import Iterator, Sequence
from html import escape
from itertools import pairwise

from infra.lab.queue.job import Way
from infra.lab.queue.situations import Situation
from infra.lab.queue.table import TAKEN, WHAT
from infra.lab.result import Result, Row


def chart(result: Result) -> str:
    """A panel of the order, then one per way with a bar for each number of waiting messages.

    Bars of one panel have one scale: ways differ by far, and what counts is whether waiting messages make one slower.
    """
    panels = "".join((_order(result.rows), *(_speed(result.rows, way) for way in Way)))
    return f'<div class="panels">{panels}</div><p class="note legend">A full bar is the fastest of its panel.</p>'


def _order(rows: Sequence[Row]) -> str:
    found = next(row for row in rows if row["what happens"] == WHAT[Situation.STORY])
    lines = "".join(f"<li><span>{escape(way)}</span>{''.join(_steps(str(found[way])))}</li>" for way in Way)
    return (
        "<figure><figcaption>What consumer 1 processes when consumer 2 has died at m3</figcaption>"
        f'<ul class="order">{lines}</ul></figure>'
    )


def _steps(messages: str) -> Iterator[str]:
    """One box per message; one that comes after a higher number is marked."""
    names = messages.split(", ")
    late = [False, *(int(after[1:]) < int(before[1:]) for before, after in pairwise(names))]
    for name, is_late in zip(names, late, strict=True):
        yield f'<span class="step{" late" if is_late else ""}">{escape(name)}{" late" if is_late else ""}</span>'


def _speed(rows: Sequence[Row], way: Way) -> str:
    found = {
        str(row["what happens"]).removeprefix(f"{TAKEN}, "): int(row[way])
        for row in rows
        if str(row["what happens"]).startswith(TAKEN) and isinstance(row[way], int)
    }
    most = max(found.values(), default=0) or 1
    bars = "".join(
        f'<li><span>{escape(where)}</span><span class="bar"><span class="taken" style="width:{100 * one / most:.2f}%"></span>'
        f"</span><span>{one:,}</span></li>"
        for where, one in found.items()
    )
    return f'<figure><figcaption>{escape(way)}: {TAKEN}</figcaption><ul class="bars">{bars}</ul></figure>'
