"""The command `curve`: how complete the stream's views would have been with other allowed latenesses.

Data flow: reconciliation/curve, reconciliation/lateness -> per view a table of delays, and the smallest sufficient delays
Run: daybreak curve --days 3
"""

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from batch.report.curves import Curve, curves, percent, span_of
from infra.commands.screen import Screen
from infra.failures import PermanentFailure
from infra.settings import settings

commands = typer.Typer()
console = Screen()


@commands.command()
def curve(
    view: Annotated[str | None, typer.Option(help="Only this view.")] = None,
    days: Annotated[int, typer.Option(min=1, help="Over the last N settled days.")] = 7,
) -> None:
    """Latency against completeness: how complete the views would have been with each delay, up to the night."""
    found = curves(settings(), days)
    if not found:
        raise PermanentFailure(
            "no settled day has a curve yet: settle one with daybreak night --date D, or with daybreak backfill"
        )
    known = [one.view for one in found]
    if view is not None and view not in known:
        raise PermanentFailure(f"no view {view!r} has a curve; there are: {', '.join(known)}")
    for one in found:
        if view in (None, one.view):
            show_curve(one)


def show_curve(curve: Curve, console: Console = console) -> None:
    """Print one view's curve."""
    events, rows = curve.points[-1].events[1], curve.points[-1].rows[1]
    span = f"{curve.days[0]} to {curve.days[-1]}" if len(curve.days) > 1 else f"{curve.days[0]}"
    table = Table(
        title=f"{curve.view}: {events:,} events, {rows:,} rows, {span}",
        title_justify="left",
        box=None,
        header_style="dim",
    )
    measures = list(curve.points[-1].measures)
    heads = ["delay", "events in time %", "on time in the micro-batches %", *[f"{name} %" for name in measures]]
    for name in (*heads, "rows final %", "rows held"):
        table.add_column(name, justify="left" if name == "delay" else "right")
    for point in curve.points:
        delay = "the night" if point.delay_seconds is None else span_of(point.delay_seconds)
        table.add_row(
            f"{delay}, in force" if point.in_force else delay,
            percent(point.events),
            percent(point.as_read),
            *[percent(point.measures[name]) for name in measures],
            percent(point.rows),
            "" if point.state_rows is None else f"{point.state_rows:,}",
            style="bold" if point.in_force else None,
        )
    console.print(table)
    smallest = ", ".join(
        f"{_share(float(share))} % need {seconds:,} s" + (f" ({span_of(seconds)})" if seconds >= 60 else "")
        for share, seconds in curve.needed.items()
    )
    console.print(f"smallest delay: of the events in order of arrival {smallest}\n", soft_wrap=True)


def _share(share: float) -> str:
    return f"{share * 100:.2f}".rstrip("0").rstrip(".")
