"""The commands `promote` and `abandon`: what becomes of the version that `daybreak plan --try` computes beside the one in force.

Data flow: a try -> the lake in force, or nothing
Run: daybreak promote; daybreak abandon
"""

import typer

from batch.night import driver
from batch.trying import promoted
from infra.commands.screen import Screen
from infra.services.fork import Stage
from infra.settings import settings
from streaming.versions.definition_cache import known_definitions, remembered

commands = typer.Typer()
console = Screen()


@commands.command()
def promote() -> None:
    """Put the version that was tried into force: gold, tables and corrections in one switch."""
    fork = promoted.there(settings())
    promoted.refuse_other_code(fork)
    if fork.stage is not Stage.PROMOTED:
        promoted.refuse_unready(fork)
        promoted.refuse_other_code(fork, remembered() or _planned())
    promoted.promote(fork, console.say)
    console.say(f"the new version is in force: the lake is the bucket {settings().bucket}")


@commands.command()
def abandon() -> None:
    """Remove the version that was tried, with all that it has computed."""
    promoted.abandon(promoted.there(settings()))
    console.say("the try is gone; what is served is as it was")


def _planned() -> dict[str, str]:
    own = driver.session()
    try:
        return dict(known_definitions(own))
    finally:
        own.stop()
