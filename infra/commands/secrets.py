"""The command `secrets rotate`: every generated secret and certificate is another one afterwards, and nothing is lost.

Data flow: new secrets, kept -> programs down -> `secrets.env` -> programs up, each with its new secret -> the old ones are gone
Run: daybreak secrets rotate

All programs are down for a moment, as after `daybreak down`: a program that still had an old secret would be refused half-way
through its work. What is sent meanwhile waits with its sender, whose next login takes the new password (infra/kafka/send.py).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from infra import rotation
from infra.commands import platform, postgres_lines, s3_lines
from infra.commands.screen import Screen
from infra.failpoints import point
from infra.failures import PermanentFailure, TransientFailure
from infra.kafka import login
from infra.kafka_users import User
from infra.owner_file import turn
from infra.postgres_roles import Role as PostgresRole
from infra.rotation import Rotation
from infra.secrets import secrets_file
from infra.services import fork
from infra.services.roster import roster
from infra.services.supervisor import Supervisor
from infra.settings import Settings, load, settings
from infra.sql import users
from infra.sql.users import Role
from infra.store_users import User as StoreUser
from infra.tls.prepare import is_yours
from infra.tls_settings import ca_file

commands = typer.Typer()
secrets = typer.Typer(help="The platform's own passwords and keys.", no_args_is_help=True)
commands.add_typer(secrets, name="secrets")
console = Screen()

AS_BEFORE = "the old secrets are in force: daybreak up starts all with them, daybreak secrets rotate goes on"
HALF_WAY = "the new secrets are in force: mend the cause, then daybreak secrets rotate goes on from here"


@secrets.command()
def rotate(
    authority: Annotated[
        bool, typer.Option("--authority", help="Make another CA too, with TLS: clients that run do not trust it.")
    ] = False,
) -> None:
    """Change every generated secret and certificate of the embedded services; after an interruption the same command goes on."""
    s = settings()
    if not secrets_file(s.home).exists():
        raise PermanentFailure(f"there are no secrets yet in {s.home}: daybreak up makes them")
    with turn(rotation.next_file(s.home)):
        # Another rotation may have ended meanwhile.
        settings.cache_clear()
        if rotation.begun(settings().home) is None:
            fork.refuse(settings(), "other secrets")
        _rotate(settings(), authority)


def _rotate(s: Settings, authority: bool) -> None:
    for name, why in rotation.untouched(s).items():
        _say(f"not touched: {name} ({why})")
    has_begun = rotation.begun(s.home) is not None
    new = rotation.begin(s, _running(s), authority)
    kept = f"in {rotation.next_file(s.home)}, beside those in force"
    _say(f"1 of 5: {len(new.secrets)} new secrets are {'still' if has_begun else 'made, and kept'} {kept}")
    point("secrets.made")
    if not rotation.is_in_force(s, new):
        with _told(AS_BEFORE):
            _put_in_force(s, new)
    point("secrets.in-force")
    with _told(HALF_WAY):
        _start(new)
    rotation.end(s)
    if rotation.keeps_old_key(load()):
        _say("Airflow does not run: its old Fernet key is kept until it has, for what that has encrypted")
    _say(
        "5 of 5: nothing takes the old secrets any more; a command of yours that still runs with one is to be started again"
    )


def _put_in_force(s: Settings, new: Rotation) -> None:
    _say("2 of 5: all programs are stopped")
    platform.down()
    point("secrets.down")
    rotation.put_in_force(s, new)
    settings.cache_clear()
    _say(f"3 of 5: the new secrets are in force; until the end the old ones are in {rotation.before_file(s.home)}")
    if s.has_tls and new.authority and not is_yours(s):
        _say(
            f"there is another CA, too: programs of yours that trust the old one are to be given {ca_file(s.home)} again"
        )


def _start(new: Rotation) -> None:
    """What ran before takes its new secret when it starts; so does what people are given."""
    s = settings()
    _give_again(s)
    programs = [name for name in roster(s) if name in new.programs]
    if programs:
        _say(f"4 of 5: each program starts with its new secret: {', '.join(programs)}")
        platform.start_programs(",".join(programs))
    else:
        _say("4 of 5: nothing ran: daybreak up gives each program its new secret")


def _give_again(s: Settings) -> None:
    """The files with which people log in, where they have been asked for: daybreak connect."""
    for user in User:
        if login.tools_file(s, user).exists():
            login.files(s, user)
    for key in StoreUser:
        if s3_lines.options_file(s, key).exists():
            s3_lines.files(s, key)
    for own in PostgresRole:
        if postgres_lines.given_file(s, own).exists():
            postgres_lines.password_file(s, own)
    for role in Role:
        if users.given_file(s, role).exists():
            users.password_file(s, role)


def _running(s: Settings) -> list[str]:
    supervisor = Supervisor(s)
    if not supervisor.is_running():
        return []
    return [name for name, process in supervisor.processes().items() if process.state.is_up]


@contextmanager
def _told(what_to_do: str) -> Iterator[None]:
    """A failure says how things stand, and what to do."""
    try:
        yield
    except (PermanentFailure, TransientFailure) as failure:
        raise type(failure)(f"{failure}\nThe rotation is not at its end; {what_to_do}") from failure


def _say(what: str) -> None:
    console.print(what, soft_wrap=True)
