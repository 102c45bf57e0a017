"""The command `gaps`: list the offsets that Kafka removed before they were read, or accept that they are lost.

Data flow: archive/gaps, bronze/gaps -> a table on the terminal; --accept -> `python -m batch accept-gaps`
Run: daybreak gaps
"""

import json
from typing import Annotated

import typer
from rich.table import Table

from batch.commands.acceptance import Accept, By, Note, accepted
from batch.report.gaps import Missed, missed
from infra.commands.screen import Screen
from infra.settings import settings

commands = typer.Typer()
console = Screen()


@commands.command()
def gaps(
    accept: Accept = False,
    note: Note = "",
    by: By = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per gap.")] = False,
) -> None:
    """Offsets that Kafka removed before the archive, or the stream, had read them."""
    accepted("gaps", "accept-gaps", accept, note, by)
    found = missed(settings())
    if as_json:
        for gap in found:
            print(json.dumps(gap.__dict__, default=str))
    elif found:
        console.print(_shown(found))
    else:
        console.print("no gap: the archive and the stream have read every offset of the log")


def _shown(found: list[Missed]) -> Table:
    table = Table(
        "never read by", "partition", "from", "to", "offsets", "cause", "days", "accepted", "by", "note", box=None
    )
    for gap in found:
        ranges = (f"{gap.start:,}", f"{gap.end:,}", f"{gap.offsets:,}")
        when = f"{gap.accepted_at:%Y-%m-%d %H:%M}"
        said = gap.accepted_by or "", gap.note or ""
        table.add_row(gap.by, f"{gap.topic}-{gap.partition}", *ranges, gap.cause, gap.days, when, *said)
    return table
