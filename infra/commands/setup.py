"""The command `setup`: what the platform's wheel does not bring along.

Data flow: hashed locks in the wheel -> packages, jars, the object store's server, in the environment and its `share/daybreak`
Run: daybreak setup
"""

from typing import Annotated

import typer

from infra.failures import PermanentFailure
from infra.installation import IS_CLONE
from infra.setup.__main__ import main

commands = typer.Typer()


@commands.command()
def setup(
    steps: Annotated[list[str] | None, typer.Argument(help="Only these, e.g. `jars compiled store classes`.")] = None,
) -> None:
    """Install the tested packages, jars and the object store, where the platform's wheel is installed (once)."""
    if IS_CLONE:
        raise PermanentFailure("this is a clone, not an installed wheel: `make setup` sets it up")
    main(steps or [])
