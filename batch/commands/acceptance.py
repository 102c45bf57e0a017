"""Accept that records are lost, on the terminal: who and why are asked for, and a process of the night's writes them down.

Data flow: options of `gaps` and `conservation` -> `python -m batch accept-...`
Run: daybreak conservation --accept --note "the topic was compacted by mistake"
"""

import getpass
import subprocess
import sys
from typing import Annotated

import typer

from infra.failures import PermanentFailure
from infra.settings import ROOT

Accept = Annotated[bool, typer.Option("--accept", help="Accept that these records are lost; needs --note.")]
Note = Annotated[str, typer.Option(help="Why they were lost; it is stored for ever.")]
By = Annotated[str, typer.Option(help="Who accepts it; by default your user name.")]


def accepted(name: str, step: str, accept: bool, note: str, by: str) -> None:
    """Run `python -m batch <step>` if `accept` is asked for, and end as it does if it fails.

    `name` is the command's. Raises PermanentFailure if the reason is missing, or given without --accept.
    """
    form = f'daybreak {name} --accept --note "why"'
    if accept and not note.strip():
        raise PermanentFailure(f"to accept a loss you must give a reason: {form}")
    if not accept and (note or by):
        raise PermanentFailure(f"--note and --by are for --accept: {form}")
    if accept:
        options = [f"--note={note}", f"--by={by.strip() or getpass.getuser()}"]
        code = subprocess.run([sys.executable, "-m", "batch", step, *options], cwd=ROOT, check=False).returncode
        if code:
            raise typer.Exit(code)
