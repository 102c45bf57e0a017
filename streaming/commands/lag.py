"""The command `lag`: how far the stream is behind the log, per partition.

Data flow: Kafka, speed/progress -> table on the terminal, JSON
Run: daybreak lag
"""

import json
from dataclasses import asdict
from typing import Annotated

import typer
from rich.table import Table

from infra.commands.screen import Screen
from infra.durations import span
from infra.settings import settings
from streaming.hooks import backlogs
from streaming.monitor.lag import Lag
from streaming.monitor.lag import lag as measured
from streaming.positions.held_back import WORTH_SAYING

commands = typer.Typer()
console = Screen()

COLUMNS = ("partition", "start", "end", "committed", "lag", "read/s", "unread for", "kept for")


@commands.command()
def lag(as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one object per partition.")] = False) -> None:
    """Show how far the stream is behind Kafka, and when Kafka may delete the first unread record."""
    s = settings()
    rows = measured(s)
    beside = backlogs(s)
    if as_json:
        print(json.dumps([*(asdict(row) for row in rows), *(dict(one.as_json) for one in beside)], indent=2))
        return
    table = Table(title=f"consumer group {s.consumer_group}", title_justify="left", box=None, header_style="dim")
    for name in COLUMNS:
        table.add_column(name, justify="left" if name == "partition" else "right")
    for row in rows:
        table.add_row(*_cells(row))
    console.print(table)
    for row in rows:
        if row.lost:
            console.print(
                f"[bold red]{row.topic} {row.partition}: {row.lost:,} records were deleted before they were read[/]"
            )
        elif row.is_short:
            console.print(f"[bold red]{row.topic} {row.partition}: Kafka deletes unread records in {_left(row)}[/]")
    for row in rows:
        if row.waiting and row.open_seconds is not None and row.open_seconds > WORTH_SAYING:
            console.print(f"[bold red]{_open(row)}[/]", soft_wrap=True)
    for line in (line for one in beside for line in one.lines):
        console.print(line, soft_wrap=True)


def _open(row: Lag) -> str:
    return (
        f"{row.topic} {row.partition}: {row.waiting:,} offsets wait behind a transaction that is open at offset "
        f"{row.end - row.waiting:,} since {span(row.open_seconds or 0)} (kafka-transactions describe-producers --topic "
        f"{row.topic} --partition {row.partition} names its producer)"
    )


def _cells(row: Lag) -> list[str]:
    numbers = (row.start, row.end, row.committed, row.lag)
    age = "-" if row.unread_seconds is None else span(row.unread_seconds)
    left = f"[bold red]{_left(row)}[/]" if row.is_short else _left(row)
    return [f"{row.topic} {row.partition}", *(f"{number:,}" for number in numbers), f"{row.rate:,.1f}", age, left]


def _left(row: Lag) -> str:
    return "unlimited" if row.hours_left is None else span(row.hours_left * 3600)
