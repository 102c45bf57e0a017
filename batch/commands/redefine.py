"""The command `redefine`: put a changed view or contract into force, for the stream and over all of history.

Data flow: the code as it is now -> stream rebuilt from silver and drained -> a night that redoes every settled day -> Radius
Run: daybreak redefine

Both versions stay visible: `definition` in speed and in the ledger of corrections, settlements and past_settlements.
"""

import subprocess
import sys
import time
from datetime import UTC, date, datetime
from typing import Annotated

import typer

from batch.commands import nights
from batch.report.blast_radius import redefined
from batch.settlement.settlements import SETTLEMENTS
from infra.commands.screen import Screen
from infra.failures import PermanentFailure, TransientFailure
from infra.lake.reader import exists, read
from infra.services import stream
from infra.services.program import Name, Program
from infra.services.supervisor import Supervisor
from infra.settings import ROOT, Settings, settings
from streaming.monitor.catch_up import behind

commands = typer.Typer()
console = Screen()

STILL_SECONDS = 900
"""So long without progress the stream stands still; its start takes 20 s, and a first micro-batch of all of silver minutes."""


@commands.command()
def redefine(
    airflow: Annotated[bool, typer.Option(help="By a backfill, gold included; else the night alone.")] = True,
) -> None:
    """Rebuild the stream by the definitions of this code, redo every settled day by them, and say what that moved."""
    s = settings()
    started = datetime.now(UTC)
    supervisor = Supervisor(s)
    if not supervisor.is_running():
        raise PermanentFailure("the platform is not up: daybreak up")
    days = settled(s)
    console.print("1 the stream stops and starts over from silver")
    supervisor.stop(Name.STREAM, wait=True)
    code = subprocess.run([sys.executable, "-m", "streaming", "rebuild"], cwd=ROOT, check=False).returncode
    if code:
        # It is as it was, and says itself what it lacks.
        supervisor.begin(Name.STREAM)
        raise typer.Exit(code)
    supervisor.begin(Name.STREAM)
    console.print("2 its views read silver")
    _drained(s, supervisor)
    if not days:
        console.print(
            "no day is settled yet: there is nothing to redo. The first night of a day compares what the stream wrote of it"
        )
        return
    console.print(f"3 the night redoes what is settled by other definitions, of {len(days)} days")
    last = days[-1].isoformat()
    if airflow:
        nights.backfill(last, last)
    else:
        nights.night(last)
    found = redefined(s, days[0], days[-1], started)
    console.print("4 what other definitions had given for these days" if found else "4 no settled row has changed")
    for radius in found:
        console.print(f"  {radius}", soft_wrap=True)


def settled(s: Settings) -> list[date]:
    """The settled days."""
    found = read(s, SETTLEMENTS.id, ["day"]) if exists(s, SETTLEMENTS.id) else None
    return sorted(found.column("day").to_pylist()) if found else []


def _drained(s: Settings, supervisor: Supervisor) -> None:
    """Wait until the stream has written its views anew and read the log. Raises TransientFailure if it stands still."""
    moved, last = time.monotonic(), ""
    with console.status("") as spinner:
        while now := left(s, supervisor, stream.program(s)):
            if now != last:
                moved, last = time.monotonic(), now
            elif time.monotonic() - moved > STILL_SECONDS:
                raise TransientFailure(f"the stream stands still ({now}): see daybreak status and daybreak logs stream")
            spinner.update(now)
            time.sleep(1)


def left(s: Settings, supervisor: Supervisor, program: Program) -> str:
    """What is still awaited, in words: a stream that runs has written all of silver by its new definitions before."""
    pid = supervisor.processes()[program.name].pid
    wants = program.waits_for(pid) if pid else "its process to start"
    if wants:
        return f"the stream waits for {wants}"
    unread = behind(s)
    return "" if unread.nothing else str(unread)
