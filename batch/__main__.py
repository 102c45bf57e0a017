"""The night's command line: one step, or all of them; and what a person decides.

Data flow: python -m batch -> night.night; apart
Run: python -m batch night --date 2026-01-31
"""

from typing import Annotated

import typer

from batch import apart
from batch import night as nights
from batch.day import parse
from infra.failures import reported

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)
Date = Annotated[str, typer.Option("--date", help="The UTC day, YYYY-MM-DD.")]
Full = Annotated[bool, typer.Option("--full", help="Redo the day even if nothing has changed since it was settled.")]


@app.command()
def archive(date: Date, full: Full = False) -> None:
    """Append to the archive what the log has and the archive has not."""
    nights.night(parse(date), [nights.Step.ARCHIVE], full)


@app.command()
def truth(date: Date, full: Full = False) -> None:
    """Recompute the day, and the settled days that new arrivals touched."""
    nights.night(parse(date), [nights.Step.TRUTH], full)


@app.command()
def reconcile(date: Date, full: Full = False) -> None:
    """Compare with the stream; fails if a difference has no cause."""
    nights.night(parse(date), [nights.Step.RECONCILE], full)


@app.command()
def correct(date: Date, full: Full = False) -> None:
    """Write the corrections and settle the days."""
    nights.night(parse(date), [nights.Step.CORRECT], full)


@app.command()
def night(date: Date, full: Full = False) -> None:
    """All four steps."""
    nights.night(parse(date), list(nights.Step), full)


@app.command()
def publish() -> None:
    """Send the ledger's corrections that are not yet in the topic; every night does it too."""
    apart.publish()


@app.command()
def curve(date: Date, full: Full = False) -> None:
    """Draw the latency-completeness curve of the day, once it is settled, and of settled days that lack theirs."""
    apart.curve(parse(date), full)


@app.command()
def prepare() -> None:
    """Create the night's tables."""
    apart.prepare()


@app.command()
def accept_gaps(note: Annotated[str, typer.Option(help="Why, for whoever reads it later.")]) -> None:
    """Accept what the log has lost before a night read it; the next night goes on behind it."""
    apart.accept_gaps(note)


@app.command()
def upkeep() -> None:
    """Remove files of the night's tables that no version of the last week needs."""
    apart.upkeep()


if __name__ == "__main__":
    with reported():
        app()
