"""The command `lag`: how far the stream is behind the log, per partition.

Data flow: Kafka, speed/progress -> table on the terminal, JSON
Run: daybreak lag
"""

import json
from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from infra.lag import Lag
from infra.lag import lag as measured
from infra.settings import settings

commands = typer.Typer()
console = Console(highlight=False)

COLUMNS = ("topic", "partition", "log start", "log end", "committed", "lag", "read/s", "first unread", "kept for")


@commands.command()
def lag(as_json: Annotated[bool, typer.Option("--json", help="As JSON, one object per partition.")] = False) -> None:
    """How far the stream is behind the log, and for how long Kafka still keeps what it has not read."""
    s = settings()
    rows = measured(s)
    if as_json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
        return
    table = Table(title=f"consumer group {s.consumer_group}", title_justify="left", box=None, header_style="dim")
    for name in COLUMNS:
        table.add_column(name, justify="left" if name == "topic" else "right")
    for row in rows:
        table.add_row(*_cells(row))
    console.print(table)
    for row in rows:
        if row.lost:
            console.print(
                f"[bold red]{row.lost:,} records of {row.topic} {row.partition} were deleted before the stream read them[/]"
            )


def _cells(row: Lag) -> list[str]:
    numbers = (row.partition, row.start, row.end, row.committed, row.lag)
    age = "-" if row.unread_seconds is None else f"{_span(row.unread_seconds)} old"
    left = "ever" if row.hours_left is None else _span(row.hours_left * 3600)
    kept = f"[bold red]{left} of {_span((row.retention_hours or 0) * 3600)}[/]" if row.is_short else left
    return [row.topic, *(f"{number:,}" for number in numbers), f"{row.rate:,.1f}", age, kept]


def _span(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
