"""The command `report`: write the report of a night as one HTML file.

Data flow: the lake -> `reports/<day>.html` in the bucket and in the home, or a file of your choice
Run: daybreak report --date 2026-01-31 --open
"""

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from batch.report.publish import publish, written
from infra.dates import day_of
from infra.failures import PermanentFailure
from infra.page.write import put
from infra.settings import settings

commands = typer.Typer()


@commands.command()
def report(
    day: Annotated[str, typer.Option("--date", help="The day of the night (UTC), YYYY-MM-DD.")],
    out: Annotated[Path | None, typer.Option(help="Write the report to this file only.", dir_okay=False)] = None,
    show: Annotated[bool, typer.Option("--open", help="Open the report in a browser.")] = False,
) -> None:
    """Write a night's report as one HTML file: what differed, why, and what a longer allowed lateness would give."""
    of = day_of(day)
    text = written(settings(), of)
    if out is None:
        kept, file = publish(settings(), of, text)
        print(kept)
    else:
        try:
            file = put(out.resolve(), text.encode())
        except OSError as refused:
            raise PermanentFailure(f"{out} cannot be written: {refused.strerror}") from refused
    print(file)
    if show and not webbrowser.open(file.as_uri()):
        print("no browser was found on this machine: open the file in one yourself")
