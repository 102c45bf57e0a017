"""The command `gaps`: list the offsets that Kafka removed before they were read, or accept that they are lost.

Data flow: archive/gaps, bronze/gaps -> a table on the terminal; --accept -> `python -m batch accept-gaps`
Run: daybreak gaps
"""

import json
import subprocess
import sys
from typing import Annotated

import typer
from rich.table import Table

from batch.report.gaps import Missed, missed
from infra.commands.screen import Screen
from infra.failures import PermanentFailure
from infra.settings import ROOT, settings

commands = typer.Typer()
console = Screen()


@commands.command()
def gaps(
    accept: Annotated[bool, typer.Option("--accept", help="Accept that these records are lost; needs --note.")] = False,
    note: Annotated[str, typer.Option(help="Why they were lost; it is stored with the gap for ever.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per gap.")] = False,
) -> None:
    """Offsets that Kafka removed before the archive, or the stream, had read them."""
    if accept:
        if not note.strip():
            raise PermanentFailure('to accept a gap you must give a reason: daybreak gaps --accept --note "why"')
        command = [sys.executable, "-m", "batch", "accept-gaps", "--note", note]
        code = subprocess.run(command, cwd=ROOT, check=False).returncode
        if code:
            raise typer.Exit(code)
    elif note:
        raise PermanentFailure('--note is for --accept only: daybreak gaps --accept --note "why"')
    found = missed(settings())
    if as_json:
        for gap in found:
            print(json.dumps(gap.__dict__, default=str))
    elif found:
        console.print(_shown(found))
    else:
        console.print("no gap: the archive and the stream have read every offset of the log")


def _shown(found: list[Missed]) -> Table:
    table = Table("never read by", "partition", "from", "to", "offsets", "cause", "days", "accepted", "note", box=None)
    for gap in found:
        ranges = (f"{gap.start:,}", f"{gap.end:,}", f"{gap.offsets:,}")
        when = f"{gap.accepted_at:%Y-%m-%d %H:%M}"
        table.add_row(gap.by, f"{gap.topic}-{gap.partition}", *ranges, gap.cause, gap.days, when, gap.note or "")
    return table
