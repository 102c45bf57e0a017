"""The command `metrics`: what Prometheus reads, on the terminal or in a file for node_exporter.

Data flow: the platform -> metrics in Prometheus's text format -> terminal, `<folder>/daybreak.prom`
Run: daybreak metrics --to /var/lib/node_exporter/textfile --every 30
"""

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from infra.failures import PermanentFailure
from infra.metrics.textfile import written
from infra.services.roster import roster
from infra.services.status import status as statuses
from infra.services.supervisor import Supervisor
from infra.settings import Settings, settings

commands = typer.Typer()


@commands.command()
def metrics(
    to: Annotated[Path | None, typer.Option(help="Write DIR/daybreak.prom, for node_exporter.", metavar="DIR")] = None,
    every: Annotated[int | None, typer.Option(min=5, help="Write it again every N seconds, until stopped.")] = None,
) -> None:
    """Print what Prometheus reads: programs, problems, lag, micro-batches, freshness, nights; or write it into a folder."""
    if every and not to:
        raise PermanentFailure("--every needs --to: the folder in which the file is written again")
    if not to:
        print(_now(settings()), end="")
        return
    print(written(to, _now(settings())), flush=True)
    while every:
        time.sleep(every)
        # Read anew, because passwords may have been changed meanwhile.
        settings.cache_clear()
        try:
            written(to, _now(settings()))
        except OSError as failure:
            # A full disk, say: the next time may be better, and an old file is an alert of its own.
            print(f"daybreak metrics: {to} cannot be written: {failure}", file=sys.stderr, flush=True)


def _now(s: Settings) -> str:
    # Imported here because it takes seconds, and --help does not need it.
    from batch.status.metrics import parts, read_parts

    return read_parts(s, parts(s, statuses(roster(s), Supervisor(s))))
