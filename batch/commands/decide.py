"""The command `decide`: approve or reject a day whose correction is over its approval threshold.

Data flow: an answer -> Airflow's open approval request for the day; if there is none, `python -m batch decide`
Run: daybreak decide --date 2026-01-31 --approve --note "the stream was down at noon"
"""

import getpass
import subprocess
import sys
from datetime import date
from typing import TYPE_CHECKING, Annotated

import typer

from batch.commands.nights import DAG
from infra.airflow.runs import ApprovalRequest
from infra.commands.screen import Screen
from infra.dates import day_of
from infra.failures import PermanentFailure, TransientFailure
from infra.services.fork import there
from infra.settings import ROOT, Settings, settings

if TYPE_CHECKING:
    from infra.airflow.client import Airflow

commands = typer.Typer()
console = Screen()


@commands.command()
def decide(
    day: Annotated[str, typer.Option("--date", help="The day that waits for an approval (UTC), YYYY-MM-DD.")],
    approve: Annotated[bool, typer.Option("--approve", help="Settle the day with these figures.")] = False,
    reject: Annotated[bool, typer.Option("--reject", help="Leave the day provisional.")] = False,
    note: Annotated[str, typer.Option(help="The reason; it is stored with the decision for ever.")] = "",
    in_try: Annotated[bool, typer.Option("--try", help="In the version that is tried (daybreak plan --try).")] = False,
) -> None:
    """Settle a day whose correction is over its approval threshold, or leave it provisional."""
    about = day_of(day)
    if approve == reject:
        raise PermanentFailure("give either --approve or --reject")
    if not note.strip():
        raise PermanentFailure(
            f'a decision needs a reason: daybreak decide --date {about} --approve|--reject --note "why"'
        )
    s = settings()
    options = ["--date", about.isoformat(), "--approve" if approve else "--reject", f"--note={note}"]
    words = ["batch", "decide", *options, f"--by={getpass.getuser()}"]
    if in_try:
        if code := there(s).run(*words):
            raise typer.Exit(code)
        return
    if found := _open_request(s, about):
        airflow, request = found
        airflow.answer(DAG, request, "Approve" if approve else "Reject", {"note": note})
        console.print(
            f"answered: the night goes on at {s.airflow_url}/dags/{DAG}/runs/{request.run_id}", soft_wrap=True
        )
        return
    code = subprocess.run([sys.executable, "-m", *words], cwd=ROOT, check=False).returncode
    if code:
        raise typer.Exit(code)


def _open_request(s: Settings, about: date) -> "tuple[Airflow, ApprovalRequest] | None":
    """Airflow's open approval request for the day; None if there is none, or if Airflow does not answer."""
    # Imported here because the import takes a second.
    from infra.airflow.client import Airflow

    try:
        airflow = Airflow(s)
        found = [one for one in airflow.requests(DAG) if one.about == about.isoformat()]
    except TransientFailure:
        return None
    return (airflow, found[-1]) if found else None
