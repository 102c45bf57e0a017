"""The night's command line: one step or all of them, a person's decisions, and maintenance.

Data flow: batch/__main__.py -> night.night, settlement/decide, maintenance
Run: python -m batch night --date 2026-01-31
"""

from pathlib import Path
from typing import Annotated

import typer

from batch.days.day import parse
from batch.night import decide as decisions
from batch.night import maintenance
from batch.night import steps as nights
from batch.night.rest_of_night import ahead as ahead_of
from batch.settlement.decisions import Decision
from infra import logs
from infra.acting import act_as
from infra.failures import PermanentFailure
from infra.lake.tables import Writer
from infra.settings import settings

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)
Date = Annotated[str, typer.Option("--date", help="The UTC day, YYYY-MM-DD.")]
Full = Annotated[bool, typer.Option("--full", help="Redo all settled days even if nothing has changed since.")]
Only = Annotated[str | None, typer.Option("--day", help="Do only this day of the night's plan.")]
Report = Annotated[Path | None, typer.Option(help="Write the step's report to this file, as JSON.")]


@app.callback()
def _night() -> None:
    """The night's steps, a person's decisions, and maintenance."""
    logs.begin(settings().log_format)
    act_as(Writer.NIGHT)


@app.command()
def archive(
    date: Date,
    full: Full = False,
    report: Report = None,
    ahead: Annotated[bool, typer.Option("--ahead", help="Then do the night's days, and draw the curve.")] = False,
    until: Annotated[str | None, typer.Option(help="With --ahead: do the nights up to this day's as well.")] = None,
) -> None:
    """Append the records that the archive lacks. The report lists the days that the night has to do."""
    last, more = parse(until) if until else None, ahead_of if ahead else None
    nights.night(parse(date), [nights.Step.ARCHIVE], full, report=report, ahead=more, until=last)


@app.command()
def truth(date: Date, full: Full = False, day: Only = None) -> None:
    """Recompute the day, and the settled days that new arrivals touched."""
    nights.night(parse(date), [nights.Step.TRUTH], full, parse(day) if day else None)


@app.command()
def reconcile(date: Date, full: Full = False, day: Only = None) -> None:
    """Compare with the stream; fails if a difference has no cause."""
    nights.night(parse(date), [nights.Step.RECONCILE], full, parse(day) if day else None)


@app.command()
def correct(date: Date, full: Full = False, day: Only = None, report: Report = None) -> None:
    """Write the corrections and settle the days. The report lists the approvals that a person has to give."""
    nights.night(parse(date), [nights.Step.CORRECT], full, parse(day) if day else None, report)


@app.command()
def night(
    date: Date, full: Full = False, curve: Annotated[bool, typer.Option("--curve", help="Then draw the curve.")] = False
) -> None:
    """All four steps."""
    # To correct a day is to do all that it lacks of the steps between; so its records are validated once for all of them.
    nights.night(parse(date), [nights.Step.ARCHIVE, nights.Step.CORRECT], full)
    if curve:
        maintenance.curve(parse(date), full)


@app.command()
def decide(
    date: Date,
    approve: Annotated[bool, typer.Option("--approve", help="Settle the day.")] = False,
    reject: Annotated[bool, typer.Option("--reject", help="Leave the day provisional.")] = False,
    note: Annotated[str, typer.Option(help="The reason; it is stored with the decision.")] = "",
    by: Annotated[str, typer.Option(help="Who decides.")] = "",
    figures: Annotated[str | None, typer.Option(help="The figures that the approval was requested for.")] = None,
) -> None:
    """Approve or reject a day whose correction is over its approval threshold."""
    if approve == reject:
        raise PermanentFailure("give either --approve or --reject")
    decision = Decision.APPROVED if approve else Decision.REJECTED
    decisions.decide(parse(date), decision, by, note, figures)


@app.command()
def publish() -> None:
    """Send the corrections that are not in the Kafka topic yet; every night does this too."""
    maintenance.publish()


@app.command()
def curve(date: Date, full: Full = False) -> None:
    """Draw the latency-completeness curve of the day, which must be settled, and of settled days without one."""
    maintenance.curve(parse(date), full)


@app.command()
def prepare() -> None:
    """Create the night's tables."""
    maintenance.prepare()


@app.command()
def accept_gaps(
    note: Annotated[str, typer.Option(help="The reason; it is stored with the gap.")],
    by: Annotated[str, typer.Option(help="Who accepts it.")],
) -> None:
    """Accept that Kafka removed records before a night read them; the next night continues behind the gap."""
    maintenance.accept_gaps(note, by)


@app.command()
def accept_losses(
    note: Annotated[str, typer.Option(help="The reason; it is stored with the loss.")],
    by: Annotated[str, typer.Option(help="Who accepts it.")],
) -> None:
    """Accept the offsets that did not add up in the last night; the next night leaves them out of its counts."""
    maintenance.accept_losses(note, by)


@app.command()
def upkeep() -> None:
    """Compact the night's tables, remove old files, and delete rows older than DAYBREAK_KEEP_DAYS."""
    maintenance.upkeep()
