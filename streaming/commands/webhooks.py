"""The commands `webhooks ...`: who may send events by HTTP (option webhooks).

Data flow: arguments -> `<home>/webhooks.json`; a new secret -> the terminal, once
Run: daybreak webhooks add partner --topic orders
"""

import json
import time
from dataclasses import replace
from typing import Annotated, Any

import typer
from rich.table import Table

from infra.commands.screen import Screen
from infra.failures import PermanentFailure
from infra.options import WEBHOOKS
from infra.settings import settings
from infra.tls_settings import url
from streaming.webhooks import senders, topics
from streaming.webhooks.senders import NAME, Secret, Sender, current
from streaming.webhooks.signature import new_secret

commands = typer.Typer()
webhooks = typer.Typer(no_args_is_help=True, help="Who may send events by HTTP: POST /topics/<topic>, signed.")
commands.add_typer(webhooks, name="webhooks")
console = Screen()
HOUR = 3600.0

PER_SECOND = 100.0
Topics = Annotated[list[str] | None, typer.Option("--topic", help="A topic that it may write; repeat for more.")]
PerSecond = Annotated[
    float | None, typer.Option(min=0.01, max=1e6, help=f"Requests a second that it may send; {PER_SECOND:g} if new.")
]


@webhooks.command()
def add(name: str, topic: Topics = None, per_second: PerSecond = None) -> None:
    """Let somebody send, and show the secret: once, so keep it."""
    if not NAME.fullmatch(name):
        raise PermanentFailure(f"{name!r} is no name of a sender: small letters, digits, - and _, at most 63")
    if not topic:
        raise PermanentFailure(f"say what {name} may write: --topic, one of {', '.join(topics.writable(settings()))}")
    secret = Secret(new_secret())
    with senders.changing(senders.file_of(settings())) as known:
        if name in known:
            raise PermanentFailure(f"there is a sender {name}: daybreak webhooks change {name}, or rotate {name}")
        known[name] = Sender(name, _checked(topic), per_second or PER_SECOND, (secret,))
    _show(name, secret)


@webhooks.command()
def change(name: str, topic: Topics = None, per_second: PerSecond = None) -> None:
    """Change what a sender may do; its topics are replaced by those that are named."""
    with senders.changing(senders.file_of(settings())) as known:
        now = _of(known, name)
        allowed = _checked(topic) if topic else now.topics
        known[name] = replace(now, topics=allowed, per_second=per_second or now.per_second)
    console.print(f"{name} may write {', '.join(known[name].topics)}, {known[name].per_second:g} requests a second")


@webhooks.command()
def rotate(
    name: str,
    keep_hours: Annotated[float, typer.Option(min=0, help="The old secrets sign for so long; 0: they are lost.")] = 24,
) -> None:
    """Give a sender a new secret; the old one goes on for a while, so that nothing is refused meanwhile."""
    secret, now = Secret(new_secret()), time.time()
    with senders.changing(senders.file_of(settings())) as known:
        old = _of(known, name)
        end = now + keep_hours * HOUR
        kept = [replace(one, until=min(one.until or end, end)) for one in current(old, now)] if keep_hours else []
        known[name] = replace(old, secrets=(*kept, secret))
    _show(name, secret)


@webhooks.command()
def remove(name: str) -> None:
    """Let a sender send no more; what it sent stays."""
    with senders.changing(senders.file_of(settings())) as known:
        del known[_of(known, name).name]
    console.print(f"{name} may send nothing any more")


@webhooks.command("list")
def listed(as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per sender.")] = False) -> None:
    """Show who may send what; no secret is shown."""
    known = senders.read(senders.file_of(settings()))
    rows: list[dict[str, Any]] = [
        {"sender": one.name, "topics": [*one.topics], "per_second": one.per_second, "secrets": len(current(one))}
        for one in known.values()
    ]
    if as_json:
        for row in rows:
            print(json.dumps(row))
        return
    table = Table(box=None, header_style="dim")
    for column in ("sender", "topics", "requests/s", "secrets"):
        table.add_column(column)
    for row in rows:
        table.add_row(row["sender"], ", ".join(row["topics"]), f"{row['per_second']:g}", str(row["secrets"]))
    console.print(table if rows else "nobody: daybreak webhooks add NAME --topic TOPIC")


def _checked(names: list[str]) -> tuple[str, ...]:
    for name in names:
        if refused := topics.not_writable(settings(), name):
            raise PermanentFailure(refused.what)
    return tuple(dict.fromkeys(names))


def _of(known: dict[str, Sender], name: str) -> Sender:
    if name not in known:
        raise PermanentFailure(
            f"there is no sender {name}; there is {', '.join(known) or 'none'}: daybreak webhooks list"
        )
    return known[name]


def _show(name: str, secret: Secret) -> None:
    """The one time that a secret is shown."""
    print(secret.text, flush=True)
    where = f"{url(vars(settings()), 'webhooks_port')}/topics/<topic>, with the header webhook-sender: {name}"
    off = "" if settings().has(WEBHOOKS) else ". The option is off: daybreak up --with webhooks"
    typer.echo(f"the secret of {name}, shown only now; it signs POST {where}{off}", err=True)
