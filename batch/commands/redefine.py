"""The command `redefine`: put a changed view or contract, or a new view, into force, for the stream and for all settled days.

Data flow: the present code -> stream rebuilt from silver and drained -> a night that redoes every settled day -> Radius
Run: daybreak redefine; daybreak redefine --view click_through

A new view disturbs no other: the stream writes its rows from all of silver when it starts, and goes on where it was.
Both versions stay visible: see `definition` in speed and in the corrections, and settlements beside past_settlements.
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
from streaming.monitor.catch_up import behind, latest
from streaming.views import VIEWS

commands = typer.Typer()
console = Screen()

STILL_SECONDS = 900
"""Seconds without progress after which the stream counts as stuck. Its start takes 20 s; a first micro-batch that reads all
of silver takes minutes."""


@commands.command()
def redefine(
    airflow: Annotated[
        bool, typer.Option(help="Use an Airflow backfill, which rebuilds gold too; else only a night.")
    ] = True,
    view: Annotated[
        str | None,
        typer.Option(help="Only this view, which is new: no other view is rewritten, and nothing is rebuilt."),
    ] = None,
) -> None:
    """Put changed views or contracts into force: rebuild the stream, redo all settled days, show what changed."""
    s = settings()
    started = datetime.now(UTC)
    supervisor = Supervisor(s)
    if view is not None and view not in VIEWS:
        raise PermanentFailure(f"there is no view {view}: streaming/views/__init__.py lists {', '.join(VIEWS)}")
    if not supervisor.is_running():
        raise PermanentFailure("the platform is not running: start it with daybreak up")
    days = settled(s)
    if view is not None:
        _begin(s, supervisor, view)
    elif code := _rebuilt(supervisor):
        raise typer.Exit(code)
    _drained(s, supervisor)
    if not days:
        console.print(
            "no day is settled yet, so there is nothing to redo. The first night of a day will use the new definitions"
        )
        return
    console.print(f"3 the night redoes those of the {len(days)} settled days that were settled by other definitions")
    last = days[-1].isoformat()
    if airflow:
        nights.backfill(last, last)
    else:
        nights.night(last)
    if view is not None:
        console.print(f"4 both layers have {view}, on {len(days)} settled days and since")
        return
    found = redefined(s, days[0], days[-1], started)
    console.print("4 what the new definitions changed" if found else "4 no settled row has changed")
    for radius in found:
        console.print(f"  {radius}", soft_wrap=True)


def _begin(s: Settings, supervisor: Supervisor, view: str) -> None:
    """Restart the stream, so that it starts to write a new view. Raises PermanentFailure if it has written it before."""
    if view in written(s):
        raise PermanentFailure(
            f"the stream writes {view} already, and the next night gives it truth on all settled days. If its definition has "
            "changed, leave out --view: then all views are rewritten"
        )
    console.print(f"1 the stream starts again, with {view}")
    supervisor.stop(Name.STREAM, wait=True)
    supervisor.begin(Name.STREAM)
    console.print(f"2 it computes {view} from silver, and goes on where it was")


def _rebuilt(supervisor: Supervisor) -> int:
    """Rebuild the stream from silver and begin it again; returns the exit code of the rebuild."""
    console.print("1 the stream stops and is rebuilt from silver")
    supervisor.stop(Name.STREAM, wait=True)
    code = subprocess.run([sys.executable, "-m", "streaming", "rebuild"], cwd=ROOT, check=False).returncode
    if code:
        # The rebuild changed nothing and has printed the reason, so the stream starts again as it was.
        supervisor.begin(Name.STREAM)
        return code
    supervisor.begin(Name.STREAM)
    console.print("2 the stream computes its views anew from silver")
    return 0


def written(s: Settings) -> set[str]:
    """What the stream writes, by the definitions of its last micro-batch."""
    return set(dict(latest(s, "definitions") or {}))


def settled(s: Settings) -> list[date]:
    """The settled days."""
    found = read(s, SETTLEMENTS.id, ["day"]) if exists(s, SETTLEMENTS.id) else None
    return sorted(found.column("day").to_pylist()) if found else []


def _drained(s: Settings, supervisor: Supervisor) -> None:
    """Wait until the stream has rewritten its views and read the log.

    Raises TransientFailure if the stream makes no progress for STILL_SECONDS.
    """
    moved, last = time.monotonic(), ""
    with console.status("") as spinner:
        while now := left(s, supervisor, stream.program(s)):
            if now != last:
                moved, last = time.monotonic(), now
            elif time.monotonic() - moved > STILL_SECONDS:
                raise TransientFailure(
                    f"the stream has made no progress for {STILL_SECONDS} s ({now}): see daybreak status and daybreak "
                    "logs stream"
                )
            spinner.update(now)
            time.sleep(1)


def left(s: Settings, supervisor: Supervisor, program: Program) -> str:
    """What the stream still has to do, in words; empty if nothing.

    A stream that is ready has already recomputed its views from silver, so only the log is left to read.
    """
    pid = supervisor.processes()[program.name].pid
    wants = program.waits_for(pid) if pid else "its process to start"
    if wants:
        return f"the stream waits for {wants}"
    unread = behind(s)
    return "" if unread.nothing else str(unread)
