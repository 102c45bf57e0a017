"""The command `freshness`: how long after it happened an event becomes readable, per stage.

Data flow: silver, speed/progress, gold/rpt_builds -> table on the terminal, JSON
Run: daybreak freshness --hours 24
"""

import json
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from infra.commands.screen import Screen
from infra.durations import span
from infra.failures import PermanentFailure
from infra.settings import settings
from streaming.monitor.freshness import Clock, Freshness, hourly
from streaming.monitor.freshness import freshness as measured

commands = typer.Typer()
console = Screen()

MINUTES = 10
TITLES = {Clock.EVENT: "event time to visible", Clock.ARRIVAL: "arrival in Kafka to visible"}


@commands.command()
def freshness(
    minutes: Annotated[int | None, typer.Option(min=1, help=f"Measure the last N minutes; default {MINUTES}.")] = None,
    hours: Annotated[
        int | None, typer.Option(min=1, help="One row per hour, for the last N hours; includes the current one.")
    ] = None,
    clock: Annotated[
        Clock, typer.Option("--from", help="Count from event time, or from arrival at the broker.")
    ] = Clock.EVENT,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one object per stage and hour.")] = False,
) -> None:
    """Show how long after it happened an on-time event becomes readable in bronze, silver, each view and gold."""
    if minutes and hours:
        raise PermanentFailure("give --minutes for one span or --hours for a row per hour, not both")
    now = datetime.now(UTC)
    if hours:
        first = now.replace(minute=0, second=0, microsecond=0) - timedelta(hours=hours - 1)
        rows = hourly(settings(), first, now, clock)
    else:
        rows = measured(settings(), now - timedelta(minutes=minutes or MINUTES), now, clock)
    if as_json:
        print(json.dumps([asdict(row) for row in rows], default=datetime.isoformat, indent=2))
    else:
        _show(rows, clock, console)


def show_freshness(since: datetime, until: datetime, console: Console = console) -> None:
    """Print the freshness of the events of a span of time."""
    _show(measured(settings(), since, until), Clock.EVENT, console)


def _show(rows: list[Freshness], clock: Clock, console: Console) -> None:
    table = Table(title=f"freshness: {TITLES[clock]}", title_justify="left", box=None, header_style="dim")
    by_hour = any(row.hour for row in rows)
    for name in (*(("hour",) if by_hour else ()), "stage", "events", "p50", "p95", "p99"):
        table.add_column(name, justify="left" if name in ("hour", "stage") else "right")
    before = None
    for row in rows:
        head = [f"{row.hour:%Y-%m-%d %H:%M}" if row.hour != before else ""] if row.hour else []
        before = row.hour
        cuts = ("-" if cut is None else span(cut) for cut in (row.p50, row.p95, row.p99))
        table.add_row(*head, row.stage, f"{row.events:,}", *cuts)
    console.print(table)
    if not rows:
        console.print("no on-time events in that time")
