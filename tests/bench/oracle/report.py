"""The bench as a table: CPU per million events and step, ratios, slopes, and what a slope means.

Data flow: Measured per size -> table on the terminal
Run: make bench-night
"""

from collections.abc import Callable, Sequence

from rich.console import Console
from rich.table import Table

from batch.night.steps import Step
from tests.bench.oracle.cost import slope
from tests.bench.oracle.run import Measured

console = Console(highlight=False)
MILLION = 1_000_000
WIDTH = 100
"""Where the output is no terminal."""

Seconds = Callable[[Measured], float]


def show(sizes: Sequence[Measured], console: Console = console) -> None:
    """Print what was measured in this run; nothing else is known about any other."""
    out = console if console.is_terminal or console.record else Console(width=WIDTH, highlight=False)
    table = Table(title="A night's CPU seconds per million events, and DuckDB's for the same day", title_justify="left")
    table.add_column("")
    for one in sizes:
        table.add_column(f"{one.size}x", justify="right")
    table.add_column("slope", justify="right")
    table.add_row("events in the log", *[f"{one.records:,}" for one in sizes], "")
    table.add_section()
    for step in Step:
        _row(table, str(step), sizes, lambda one, step=step: one.steps[step])  # type: ignore[misc]
    _row(table, "night, all of it", sizes, lambda one: one.night)
    _row(table, "DuckDB, one thread", sizes, lambda one: one.recompute)
    table.add_section()
    table.add_row("night / DuckDB", *[f"{one.night / one.recompute:.1f}" for one in sizes], "")
    table.add_row("truth / DuckDB", *[f"{one.steps[Step.TRUTH] / one.recompute:.1f}" for one in sizes], "")
    table.add_section()
    table.add_row("session's start, not counted (s)", *[f"{one.start:.1f}" for one in sizes], "")
    out.print(table)
    for sentence in sentences(sizes):
        out.print(sentence)


def sentences(sizes: Sequence[Measured]) -> list[str]:
    """What the slopes say, in this run's figures."""
    first, last = sizes[0], sizes[-1]
    if first is last:
        return []
    grown = last.records / first.records
    found = [
        f"{who}: {grown:.1f} times the events cost {seconds(last) / seconds(first):.1f} times the CPU, "
        f"slope {of(seconds, sizes):.2f}."
        for who, seconds in WHO.items()
    ]
    return [
        *found,
        "The slope is the exponent of CPU over events (least squares of the logarithms): 1.0 is linear; below it fixed costs "
        "(Spark's jobs, the JVM's warming up) are still spread over more events; above it a million gets dearer with the day.",
        "DuckDB recomputes events and views, which is the night's step `truth`; the rows are the same.",
    ]


WHO: dict[str, Seconds] = {"The night": lambda one: one.night, "DuckDB": lambda one: one.recompute}


def of(seconds: Seconds, sizes: Sequence[Measured]) -> float:
    """The slope of a cost over the sizes, of which there are several."""
    return slope([(one.records, seconds(one)) for one in sizes])


def _row(table: Table, name: str, sizes: Sequence[Measured], seconds: Seconds) -> None:
    per_million = [f"{seconds(one) * MILLION / one.records:,.1f}" for one in sizes]
    table.add_row(name, *per_million, f"{of(seconds, sizes):.2f}" if len(sizes) > 1 else "-")
