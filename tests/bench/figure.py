"""One figure of the bench beside what it must be, and all of them as a table.

Data flow: Figure of every section -> a table on the terminal, and JSON lines
Run: make bench
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

WIDTH = 118
"""Where the output is no terminal."""


@dataclass(frozen=True)
class Figure:
    """What was measured; `must` is the largest value that is good enough, or the smallest where `least` says so."""

    section: str
    what: str
    value: float
    unit: str
    must: float | None = None
    least: bool = False
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times worse than it must be; 1 and less is met."""
        if self.must is None:
            return None
        worse, better = (self.must, self.value) if self.least else (self.value, self.must)
        return worse / better if better else float("inf")


def show(figures: Iterable[Figure], console: Console | None = None) -> None:
    """Print all figures of this run."""
    out = console or Console(highlight=False)
    if not out.is_terminal and not out.record:
        out = Console(width=WIDTH, highlight=False)
    table = Table(title="What it costs, measured in this run", title_justify="left")
    for name, right in (("", False), ("what", False), ("figure", True), ("must", True), ("ratio", True), ("", False)):
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    last = ""
    for one in figures:
        if last and one.section != last:
            table.add_section()
        ratio = "" if one.ratio is None else f"{one.ratio:.1f}x"
        must = "" if one.must is None else f"{'>=' if one.least else '<='} {_number(one.must)}"
        colour = "" if one.ratio is None else "green" if one.ratio <= 1 else "red"
        shown = f"{_number(one.value)} {one.unit}".strip()
        cells = (one.section if one.section != last else "", one.what, shown, must, ratio, one.note)
        table.add_row(*cells, style=colour if out.is_terminal else None)
        last = one.section
    out.print(table)


def save(figures: Iterable[Figure], file: Path) -> None:
    """Append them as JSON, one a line, for a comparison with a later run."""
    with file.open("a") as lines:
        lines.writelines(json.dumps(asdict(one) | {"ratio": one.ratio}) + "\n" for one in figures)


def _number(value: float) -> str:
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 0.1 else f"{value:.4f}"
