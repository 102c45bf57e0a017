"""The command `conservation`: list the offsets that do not add up, and those that a person accepted, or accept them.

Data flow: problems of conservation, reconciliation/losses -> the terminal; --accept -> `python -m batch accept-losses`
Run: daybreak conservation
"""

import getpass
import json
import subprocess
import sys
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.table import Table

from batch.conservation.check import SOURCE
from batch.conservation.losses_table import LOSSES
from infra.commands.screen import Screen
from infra.failures import PermanentFailure
from infra.lake.reader import read
from infra.problems import of_source
from infra.settings import ROOT, settings

commands = typer.Typer()
console = Screen()


@commands.command()
def conservation(
    accept: Annotated[bool, typer.Option("--accept", help="Accept that these records are lost; needs --note.")] = False,
    note: Annotated[str, typer.Option(help="Why; it is stored with the loss for ever.")] = "",
    by: Annotated[str, typer.Option(help="Who accepts it; by default your user name.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per fault and per accepted range.")] = False,
) -> None:
    """Offsets that do not add up in log, archive and stream; each stops the nights until it is right or accepted."""
    if accept and not note.strip():
        raise PermanentFailure('to accept a loss you must give a reason: daybreak conservation --accept --note "why"')
    if not accept and (note or by):
        raise PermanentFailure('--note and --by are for --accept: daybreak conservation --accept --note "why"')
    if accept:
        options = [f"--note={note}", f"--by={by.strip() or getpass.getuser()}"]
        code = subprocess.run(
            [sys.executable, "-m", "batch", "accept-losses", *options], cwd=ROOT, check=False
        ).returncode
        if code:
            raise typer.Exit(code)
    s = settings()
    faults = of_source(s, SOURCE)
    accepted = sorted(read(s, LOSSES.id).to_pylist(), key=lambda row: (row["topic"], row["partition"], row["from"]))
    if as_json:
        for row in [*map(asdict, faults), *accepted]:
            print(json.dumps(row, default=str))
        return
    for one in faults:
        console.print(f"{one.what}, since {one.since:%Y-%m-%d %H:%M} UTC. {one.mend}", soft_wrap=True)
    if accepted:
        console.print(_shown(accepted))
    if not faults:
        console.print("what the nights have counted adds up" + (", but for what was accepted" if accepted else ""))


def _shown(accepted: list[dict[str, Any]]) -> Table:
    table = Table("partition", "from", "to", "fault", "accepted", "by", "note", box=None)
    for row in accepted:
        at = f"{row['topic']}-{row['partition']}", f"{row['from']:,}", f"{row['to']:,}"
        table.add_row(*at, row["fault"], f"{row['accepted_at']:%Y-%m-%d %H:%M}", row["accepted_by"], row["note"])
    return table
