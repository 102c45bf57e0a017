"""The commands `lab ...`: those of the platform, and those of the project in force.

Data flow: infra/commands/lab.py, the project's hooks -> one group of commands
Run: daybreak lab --help
"""

import typer

from infra.commands.lab import commands, labs
from infra.failures import PermanentFailure
from streaming.hooks import commands as of_project
from streaming.hooks import hooks, names, said_in

__all__ = ("commands",)


def add(to: typer.Typer) -> None:
    """Add those of the project. Raises PermanentFailure for one of a name that there is already."""
    for module in hooks().labs:
        own = of_project("labs", module)
        there = names(to)
        for name in names(own):
            if name in there:
                raise PermanentFailure(
                    f"{said_in('labs')} names {module}, which has a lab `{name}`, and there is one already: rename it"
                )
            there.append(name)
        to.registered_commands += own.registered_commands
        to.registered_groups += own.registered_groups


add(labs)
