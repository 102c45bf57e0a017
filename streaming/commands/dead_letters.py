"""The commands `notify dead-letters`, `resend` and `dismiss`: what a target did not take.

Data flow: topic `notify-dead-letters` -> terminal; -> the target once more, or nobody
Run: daybreak notify dead-letters partner
"""

import asyncio
import json
from collections.abc import Iterator
from typing import Annotated

import typer

from infra.commands.screen import Screen
from infra.failures import PermanentFailure, TransientFailure
from infra.kafka.send import Sender
from infra.settings import settings
from streaming.notify import attempts, letters, targets
from streaming.notify.letters import Letter
from streaming.notify.outcome import Became
from streaming.notify.targets import Target

commands = typer.Typer()
console = Screen()
Id = Annotated[str | None, typer.Option("--id", help="Only the one of this id.")]


@commands.command("dead-letters")
def dead_letters(name: str) -> None:
    """Print what a target did not take, and why: one JSON object per line."""
    for one in letters.of(settings(), _target(name)):
        own = {"id": one.delivery.id, "what": one.delivery.what, "why": one.why}
        print(json.dumps(own | {"body": one.delivery.body.decode(errors="replace")}, ensure_ascii=False))


@commands.command()
def resend(name: str, identity: Id = None) -> None:
    """Send dead letters again, the oldest first; stops if the target is away, exits with 1 if some are left."""
    target, refused, sent = _target(name), 0, 0
    for letter, sender in _settling(target, identity):
        outcome = asyncio.run(attempts.once(settings(), target, letter.delivery))
        match outcome.became:
            case Became.DELIVERED:
                letters.settle(settings(), sender, letter)
                sent += 1
            case Became.REFUSED:
                console.print(f"{letter.delivery.id} is refused again: {outcome.why}", soft_wrap=True, markup=False)
                refused += 1
            case Became.FAILED:
                raise TransientFailure(
                    f"{name} is away: {outcome.why}. {sent} dead letters were sent again; the others are kept"
                )
    console.print(f"{sent} dead letters of {name} were sent again")
    if refused:
        raise PermanentFailure(f"{refused} are refused again: mend the receiver, or daybreak notify dismiss {name}")


@commands.command()
def dismiss(name: str, identity: Id = None) -> None:
    """Forget dead letters: nobody gets them any more; alerts and corrections stay in their topics."""
    count = 0
    for letter, sender in _settling(_target(name), identity):
        letters.settle(settings(), sender, letter)
        count += 1
    console.print(f"{count} dead letters of {name} are dismissed")


def _settling(target: Target, identity: str | None) -> Iterator[tuple[Letter, Sender]]:
    """The letters that are meant, with what settles them. Raises PermanentFailure where there is none."""
    is_any, sender = False, None
    for letter in letters.of(settings(), target):
        if identity in (None, letter.delivery.id):
            is_any, sender = True, sender or Sender([settings().dead_letters_topic])
            yield letter, sender
    if not is_any:
        of = f" with the id {identity}" if identity else ""
        raise PermanentFailure(f"{target.name} has no dead letter{of}: daybreak notify dead-letters {target.name}")


def _target(name: str) -> Target:
    known = targets.read(targets.file_of(settings()))
    if name not in known:
        raise PermanentFailure(
            f"there is no target {name}; there is {', '.join(known) or 'none'}: daybreak notify list"
        )
    return known[name]
