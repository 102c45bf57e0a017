"""The command `conservation`: list the offsets that do not add up, and those that a person accepted, or accept them.

Data flow: problems of conservation, reconciliation/losses -> the terminal; --accept -> `python -m batch accept-losses`
Run: daybreak conservation
"""

import json
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.table import Table

from batch.commands.acceptance import Accept, By, Note, accepted
from batch.conservation.check import SOURCE
from batch.conservation.losses_table import LOSSES
from infra.commands.screen import Screen
from infra.lake.reader import read
from infra.problems import of_source
from infra.settings import settings

commands = typer.Typer()
console = Screen()


@commands.command()
def conservation(
    accept: Accept = False,
    note: Note = "",
    by: By = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per fault and per accepted range.")] = False,
) -> None:
    """Offsets that do not add up in log, archive and stream; each stops the nights until it is right or accepted."""
    accepted("conservation", "accept-losses", accept, note, by)
    s = settings()
    faults = of_source(s, SOURCE)
    losses = sorted(read(s, LOSSES.id).to_pylist(), key=lambda row: (row["topic"], row["partition"], row["from"]))
    if as_json:
        for row in [*map(asdict, faults), *losses]:
            print(json.dumps(row, default=str))
        return
    for one in faults:
        console.print(f"{one.what}, since {one.since:%Y-%m-%d %H:%M} UTC. {one.mend}", soft_wrap=True)
    if losses:
        console.print(_shown(losses))
    if not faults:
        console.print("what the nights have counted adds up" + (", but for what was accepted" if losses else ""))


def _shown(losses: list[dict[str, Any]]) -> Table:
    table = Table("partition", "from", "to", "fault", "accepted", "by", "note", box=None)
    for row in losses:
        at = f"{row['topic']}-{row['partition']}", f"{row['from']:,}", f"{row['to']:,}"
        table.add_row(*at, row["fault"], f"{row['accepted_at']:%Y-%m-%d %H:%M}", row["accepted_by"], row["note"])
    return table
