"""The command `status`: each program, or with --problems one list of everything that is wrong.

Data flow: supervisor and its programs, kept and looked-up problems -> terminal or JSON, exit code
Run: daybreak status --problems
"""

import json
from dataclasses import asdict
from typing import Annotated

import typer

from infra import room
from infra.commands.status_tables import show, show_count, show_held, show_problems
from infra.problems import problems as kept
from infra.services.fork import known
from infra.services.health import held
from infra.services.problems import is_up
from infra.services.program import Name
from infra.services.roster import roster
from infra.services.status import Condition
from infra.services.status import status as statuses
from infra.services.supervisor import Supervisor
from infra.settings import settings

commands = typer.Typer()


@commands.command()
def status(
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, one object per program or problem")] = False,
    problems: Annotated[bool, typer.Option("--problems", help="Show everything that is wrong instead")] = False,
) -> None:
    """Show each program: its process, ports, memory, what it waits for; exits with 1 if one fails.

    With --problems: everything that is wrong, since when, and what mends it; exits with 1 if there is something.
    """
    s = settings()
    found = statuses(roster(s), Supervisor(s))
    runs = is_up(s, found)
    if problems:
        # Imported here because its looks take a second to import.
        from batch.status.look import look

        wrong = look(s) if runs else kept(s)
        if as_json:
            print(json.dumps([asdict(one) for one in wrong], indent=2, default=str))
        else:
            show_problems(wrong, runs)
        raise typer.Exit(1 if wrong else 0)
    if as_json:
        print(json.dumps([asdict(one) for one in found], indent=2))
    else:
        show(found)
        if fork := known(s):
            print(fork)
        if any(one.name == Name.STREAM and one.pid for one in found):
            show_held(held(s))
        for one in room.full(s):
            print(f"{one}: {room.MEND}")
        show_count(len(kept(s)))
    if any(one.condition in (Condition.FAILING, Condition.FAILED) for one in found):
        raise typer.Exit(1)
