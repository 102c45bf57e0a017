"""The commands `notify ...`: who gets alerts and corrections, by signed HTTP requests or mail (option notify).

Data flow: arguments -> `<home>/notify.json`; a new secret -> the terminal, once; dead letters -> their targets
Run: daybreak notify add partner --url https://example.org/daybreak
"""

import asyncio
import json
import time
from dataclasses import replace
from typing import Annotated, Any

import typer
from rich.table import Table

from infra.commands.screen import Screen
from infra.failures import PermanentFailure, TransientFailure
from infra.kafka import client
from infra.options import NOTIFY
from infra.settings import settings
from streaming.commands import dead_letters
from streaming.notify import attempts, letters, state, targets
from streaming.notify.log import newest, places, waiting
from streaming.notify.outcome import Became
from streaming.notify.targets import MOST, Target, topics_of
from streaming.webhooks.senders import Secret
from streaming.webhooks.signature import ID, SIGNATURE, TIME, new_secret

commands = typer.Typer()
notify = typer.Typer(no_args_is_help=True, help="Who gets alerts and corrections: by signed HTTP requests, or mail.")
commands.add_typer(notify, name="notify")
console = Screen()
HOUR = 3600.0


@notify.command()
def add(
    name: str,
    url: Annotated[str | None, typer.Option(help="Where to POST each one, signed.")] = None,
    mail: Annotated[str | None, typer.Option(help="Or the address that gets mails.")] = None,
    topic: Annotated[
        list[str] | None, typer.Option("--topic", help="alerts or corrections; repeat for both. Default: alerts.")
    ] = None,
    from_beginning: Annotated[bool, typer.Option(help="All that Kafka has, not only what comes from now on.")] = False,
) -> None:
    """Send somebody what comes from now on; the secret that signs it is shown once."""
    s = settings()
    names = tuple(dict.fromkeys(topic or ["alerts"]))
    if unknown := sorted({*names} - topics_of(s).keys()):
        raise PermanentFailure(f"{', '.join(unknown)} cannot be sent; there is {', '.join(topics_of(s))}")
    if (url is None) == (mail is None):
        raise PermanentFailure(f"say where {name} is: --url or --mail, one of them")
    where = targets.checked_url(url) if url else None
    address = targets.checked_mail(s, mail) if mail else None
    admin = client.admin()
    start = {} if from_beginning else newest(admin, places(s, admin, names))
    secrets = (Secret(new_secret()),) if where else ()
    with targets.changing(targets.file_of(s)) as known:
        if targets.checked_name(name) in known:
            raise PermanentFailure(f"there is a target {name}: daybreak notify remove {name}, or rotate {name}")
        if len(known) >= MOST:
            raise PermanentFailure(f"there are {MOST} targets, the most: daybreak notify remove one of them")
        known[name] = Target(name, targets.new_id(), names, where, address, secrets, start)
    _show(known[name])


@notify.command()
def rotate(
    name: str,
    keep_hours: Annotated[
        float, typer.Option(min=0, help="Requests are signed with the old secrets too for so long.")
    ] = 24,
) -> None:
    """Give a target a new secret; for a while requests have both signatures, so that nothing is refused meanwhile."""
    now = time.time()
    with targets.changing(targets.file_of(settings())) as known:
        old = _of(known, name)
        if not old.url:
            raise PermanentFailure(f"{name} gets mail, which is not signed")
        kept = [
            replace(one, until=min(one.until or now + keep_hours * HOUR, now + keep_hours * HOUR))
            for one in old.secrets
        ]
        known[name] = replace(old, secrets=(*(one for one in kept if (one.until or 0) > now), Secret(new_secret())))
    _show(known[name])


@notify.command()
def remove(name: str) -> None:
    """Send a target nothing more."""
    s = settings()
    with targets.changing(targets.file_of(s)) as known:
        if count := len(letters.open_letters(s).get(_of(known, name).id, {})):
            raise PermanentFailure(
                f"{name} has {count:,} dead letters: daybreak notify resend {name}, or dismiss {name}"
            )
        del known[name]
    console.print(f"nothing is sent to {name} any more")


@notify.command("list")
def listed(as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per target.")] = False) -> None:
    """Show who gets what, how many records wait, and dead letters; no secret is shown."""
    s = settings()
    known = targets.read(targets.file_of(s))
    admin = client.admin()
    kept, dead = (state.read(s), letters.open_letters(s)) if known else ({}, {})
    rows: list[dict[str, Any]] = []
    for one in known.values():
        own = state.progress(one, kept)
        behind = waiting(admin, places(s, admin, one.topics), own.positions)
        fails = "; ".join(f"{lane}: {why}" for lane, (_, why) in own.failing.items())
        rows.append(
            {
                "target": one.name,
                "where": one.where,
                "topics": [*one.topics],
                "waiting": sum(end - first for first, end in behind.values()),
                "dead_letters": len(dead.get(one.id, {})),
                "fails": fails,
                "secrets": sum(1 for each in one.secrets if each.until is None or time.time() < each.until),
            }
        )
    if as_json:
        for row in rows:
            print(json.dumps(row))
        return
    table = Table(box=None, header_style="dim")
    for column in ("target", "where", "topics", "waiting", "dead letters", "fails"):
        table.add_column(column)
    for row in rows:
        table.add_row(
            row["target"],
            row["where"],
            ", ".join(row["topics"]),
            f"{row['waiting']:,}",
            f"{row['dead_letters']:,}",
            row["fails"],
        )
    console.print(table if rows else "nobody: daybreak notify add NAME --url URL")


@notify.command()
def test(name: str) -> None:
    """Send a target one message, of type `test`, and say what becomes of it; exits with 1 if it is not taken."""
    target = _of(targets.read(targets.file_of(settings())), name)
    outcome = asyncio.run(attempts.once(settings(), target, attempts.trial(target)))
    if outcome.became is not Became.DELIVERED:
        raise TransientFailure(f"{name} did not take it: {outcome.why}")
    console.print(f"{name} has taken it")


notify.registered_commands += dead_letters.commands.registered_commands


def _of(known: dict[str, Target], name: str) -> Target:
    if name not in known:
        raise PermanentFailure(
            f"there is no target {name}; there is {', '.join(known) or 'none'}: daybreak notify list"
        )
    return known[name]


def _show(target: Target) -> None:
    """The one time that a secret is shown."""
    off = "" if settings().has(NOTIFY) else ". The option is off: daybreak up --with notify"
    plain = ", unencrypted" if (target.url or "").startswith("http:") else ""
    typer.echo(f"{target.name} gets {' and '.join(target.topics)} at {target.where}{plain}{off}", err=True)
    if target.secrets:
        typer.echo(f"its secret, shown only now, signs each request ({', '.join((ID, TIME, SIGNATURE))}):", err=True)
        print(target.secrets[-1].text, flush=True)
