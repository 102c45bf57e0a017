"""The chart of the lab of acknowledgements: what deaths of the leader cost each producer, and what its acknowledgement costs.

Data flow: the rows of a kept result -> HTML, which loads nothing
Run: daybreak lab acks
"""

from collections.abc import Sequence
from html import escape
from itertools import groupby

from infra.lab.acks.situation import Situation
from infra.lab.result import Result, Row

WRONG = {"lost": "lost", "doubled": "doubled", "out of order": "disordered"}
"""Columns that a bar adds up, and the class of each part."""


def chart(result: Result) -> str:
    """A panel per situation, a bar per producer. Where a leader died: acknowledged orders that are not as they must be, on one
    scale. Where all are well: the median wait for an acknowledgement, and that which one in a hundred exceeds."""
    panels = {situation: list(rows) for situation, rows in groupby(result.rows, key=lambda row: str(row["situation"]))}
    deaths = {name: rows for name, rows in panels.items() if name != Situation.WELL}
    most = max((_wrong(row) for rows in deaths.values() for row in rows), default=0) or 1
    drawn = [_panel(name, [_counts(row, most) for row in rows]) for name, rows in deaths.items()]
    well = panels.get(Situation.WELL, [])
    longest = max((_ms(row, "p99 (ms)") for row in well), default=0.0) or 1.0
    drawn.append(_panel(f"{Situation.WELL}: the acknowledgement takes", [_waits(row, longest) for row in well]))
    legend = "".join(f'<span class="{kind}"></span> {escape(what)} ' for what, kind in WRONG.items())
    waits = '<span class="median"></span> p50 <span class="slowest"></span> p99'
    full = f"a full bar is {most:,} orders, or {longest:,.1f} ms"
    return f'<div class="panels">{"".join(drawn)}</div><p class="note legend">{legend}{waits}; {full}</p>'


def _panel(title: str, bars: Sequence[str]) -> str:
    return f'<figure><figcaption>{escape(title)}</figcaption><ul class="bars">{"".join(bars)}</ul></figure>'


def _wrong(row: Row) -> int:
    return sum(int(row[what]) for what in WRONG)


def _counts(row: Row, most: int) -> str:
    parts = [(kind, int(row[what]) / most) for what, kind in WRONG.items()]
    said = ", ".join(f"{int(row[what]):,} {what}" for what in WRONG if row[what]) or "0"
    return _bar(row, parts, said)


def _ms(row: Row, what: str) -> float:
    text = str(row[what]).replace(",", "")
    return 0.0 if text == "-" else float(text)


def _waits(row: Row, longest: float) -> str:
    median, slowest = _ms(row, "p50 (ms)"), _ms(row, "p99 (ms)")
    parts = [("median", median / longest), ("slowest", (slowest - median) / longest)]
    return _bar(row, parts, f"{row['p50 (ms)']}, {row['p99 (ms)']} ms")


def _bar(row: Row, parts: Sequence[tuple[str, float]], said: str) -> str:
    drawn = "".join(f'<span class="{kind}" style="width:{100 * share:.2f}%"></span>' for kind, share in parts)
    return f'<li><span>{escape(str(row["producer"]))}</span><span class="bar">{drawn}</span><span>{said}</span></li>'
