"""The command `reconciliation`: what the nights found when they compared the stream with the truth.

Data flow: reconciliation/{summary,corrections}, archive/gaps -> a table on the terminal
Run: daybreak reconciliation --from 2026-01-01 --to 2026-01-03
"""

from datetime import UTC, date, datetime, timedelta
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from batch.report.blast_radius import redefined
from batch.report.gaps import missed
from batch.report.summary import findings
from infra.commands.screen import Screen
from infra.dates import day_of
from infra.failures import PermanentFailure
from infra.settings import settings

commands = typer.Typer()
console = Screen()


@commands.command()
def reconciliation(
    first: Annotated[str, typer.Option("--from", help="First day (UTC), YYYY-MM-DD.")],
    last: Annotated[str, typer.Option("--to", help="Last day (UTC), YYYY-MM-DD.")],
) -> None:
    """Per day: the stream's answer, the truth, the difference and its causes."""
    show_findings(day_of(first), day_of(last))


def show_findings(first: date, last: date, console: Console = console) -> None:
    """Print the findings of the days. Raises PermanentFailure if a day has none yet."""
    if first > last:
        raise PermanentFailure(f"--from {first} is after --to {last}")
    rows = findings(settings(), first, last)
    table = Table(title="the stream's answer and the truth", title_justify="left", box=None, header_style="dim")
    for name in ("day", "view", "measure", "stream", "truth", "difference", "causes", "unexplained"):
        table.add_column(name, justify="left" if name in ("day", "view", "measure", "causes") else "right")
    before = None
    for row in rows:
        head = (str(row.day), row.view) if (row.day, row.view) != before else ("", "")
        before = (row.day, row.view)
        colour = "green" if row.unexplained == 0 else "bold red"
        table.add_row(
            *head,
            row.measure,
            f"{row.speed:,}",
            f"{row.truth:,}",
            f"{row.truth - row.speed:+,}",
            row.why,
            f"[{colour}]{row.unexplained:,}[/]",
        )
    if rows:
        console.print(table)
    for radius in redefined(settings(), first, last):
        console.print(f"[bold]redefined[/]: {radius}", soft_wrap=True)
    for gap in missed(settings()):
        if gap.by == "archive" and gap.touches(first, last):
            console.print(
                f"[bold red]gap[/]: {gap.offsets:,} records of {gap.topic}-{gap.partition}, offsets {gap.start:,} to "
                f"{gap.end - 1:,}, came on {gap.days} and are missing from the truth ({gap.cause}: {gap.note})",
                soft_wrap=True,
            )
    missing = [day for day in _days(first, last) if day not in {row.day for row in rows}]
    if missing:
        raise PermanentFailure(_why_missing(missing))


def _why_missing(days: list[date]) -> str:
    """Why there is nothing to show of some days, and what helps."""
    today = datetime.now(UTC).date()
    if days[0] >= today:
        return f"{days[0]} is not over yet (UTC): its night starts at 02:00 UTC on {days[0] + timedelta(days=1)}"
    over = [day for day in days if day < today]
    return f"no night has reconciled {', '.join(map(str, over))} yet: run daybreak backfill --from {over[0]} --to {over[-1]}"


def _days(first: date, last: date) -> list[date]:
    return [first + timedelta(days=n) for n in range((last - first).days + 1)]
