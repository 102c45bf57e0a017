"""Commands for the platform's processes: up, down, restart, logs.

Data flow: supervisor and its programs <-> the terminal
Run: daybreak up
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated

import typer

from infra import options, rotation, secrets
from infra.commands import log_files
from infra.commands.screen import Screen
from infra.failures import PermanentFailure
from infra.registry import named
from infra.services import fork, place, processes, rebuild, start, tables
from infra.services.configuration import log_file
from infra.services.program import Name
from infra.services.roster import called, choose, roster
from infra.services.supervisor import Supervisor
from infra.settings import Settings, settings
from infra.tls.prepare import refuse_options

commands = typer.Typer()
console = Screen()
Only = Annotated[str | None, typer.Option(help="Start only these programs, comma-separated")]


@contextmanager
def _progress() -> Iterator[tuple[start.Tell, start.Tell]]:
    """Yield (tell, waiting): `tell` prints a line that stays, `waiting` shows what is awaited at the moment."""
    with console.status("") as spinner:
        last = ""

        def waiting(what: str) -> None:
            nonlocal last
            spinner.update(f"[dim]waiting for {what}[/]" if what else "")
            if not console.is_terminal and what and what != last:
                console.print(f"  waiting for {what}", soft_wrap=True)
            last = what

        yield lambda what: console.print(what, soft_wrap=True), waiting


def _ready() -> Settings:
    """The settings, once the home has its secrets, folders and configuration files."""
    if secrets.ensure(settings()):
        settings.cache_clear()
    place.prepare(settings())
    return settings()


@commands.command()
def up(
    only: Only = None,
    with_: Annotated[list[str] | None, typer.Option("--with", help="Turn on a part that is off by default")] = None,
    without: Annotated[list[str] | None, typer.Option(help="Turn it off again; its data stays")] = None,
) -> None:
    """Start every program that is not running, and wait until all of them work."""
    if with_ or without:
        _turn(with_ or [], without or [])
    start_programs(only)
    for name in without or ():
        if (todo := options.EVERY[name].after_off) and (said := named(todo)(settings())):
            console.print(said)
    if only is None:
        with _progress() as (tell, waiting):
            tables.register(settings(), tell, waiting)
        if (tried := fork.known(settings())) and tried.stage is fork.Stage.MADE:
            tried.daybreak("up", "--only", fork.PROGRAMS)
        say_where()
    if rotation.begun(settings().home):
        console.print("a rotation of the secrets is not at its end; it goes on with: daybreak secrets rotate")


def _turn(on: list[str], off: list[str]) -> None:
    """Turn options on and off; the stream is rebuilt if its state does not fit them any more."""
    before = settings().options
    refuse_options(settings(), on)
    if any(options.EVERY[name].of_the_stream for name in (*on, *off)):
        fork.refuse(settings(), "an option of the stream")
    options.keep(settings().home, before, on, off)
    settings.cache_clear()
    if rebuild.is_needed(settings().home, before, settings().options):
        if (supervisor := Supervisor(settings())).is_running():
            supervisor.stop(Name.STREAM, wait=True)
        services = [called(roster(settings()), name) for name in (Name.KAFKA, Name.STORE, Name.POSTGRES)]
        start_programs(",".join(name for names in services for name in names))
        with console.status("the stream's views are computed anew for its new options"):
            rebuild.rebuild(settings())
        console.print("the stream's views are computed anew for its new options; bronze and silver stay")


def start_programs(only: Only = None) -> None:
    """Start them, and wait; the gateway may not know all tables of the lake yet."""
    s = _ready()
    every = roster(s)
    wanted = choose(every, only)
    supervisor = Supervisor(s)
    with _progress() as (tell, waiting):
        if not supervisor.is_running():
            for name in processes.sweep(s.home):
                tell(f"{name} was left over from an earlier supervisor and has been stopped")
            place.check_supervisor_port(s)
            supervisor.start(every.values())
        ran = {name for name, process in supervisor.processes().items() if process.state.is_up}
        changed = supervisor.reload(every.values())
        for name in changed:
            tell(f"{name} has new settings and is restarted")
        again = {name for name in every if name in changed and name in ran}
        start.up(
            s, {name: one for name, one in every.items() if name in wanted or name in again}, supervisor, tell, waiting
        )


def say_where() -> None:
    """Say where Airflow is, where the passwords are, and how to stop it all."""
    s = settings()
    console.print(
        f"Airflow: {s.airflow_url}, daybreak connect airflow; passwords: {s.home}/secrets.env; stop: daybreak down"
    )


@commands.command()
def down() -> None:
    """Stop all processes of the platform; all data stays."""
    s = settings()
    if tried := fork.known(s):
        tried.daybreak("down")
    with _progress() as (tell, waiting):
        start.down(s, roster(s), Supervisor(s), tell, waiting)
    console.print("the platform is down")


@commands.command()
def restart(name: str) -> None:
    """Stop one program, start it again, and wait until it works; of three brokers one after the other, so that Kafka goes on."""
    s = _ready()
    supervisor = _running(s)
    with _progress() as (tell, waiting):
        for key, program in choose(roster(s), name).items():
            # The programs that it needs are running; programs that need it reconnect by themselves.
            alone = {key: replace(program, needs=())}
            start.stop(alone, supervisor, tell, waiting)
            start.up(s, alone, supervisor, tell, waiting)


def _running(s: Settings) -> Supervisor:
    supervisor = Supervisor(s)
    if not supervisor.is_running():
        raise PermanentFailure(
            f"the platform is not up (nothing answers on port {s.supervisor_port}); start it: daybreak up"
        )
    return supervisor


@commands.command()
def logs(
    name: str,
    lines: Annotated[int, typer.Option("--lines", "-n", min=0, help="Number of lines to show")] = 50,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Keep printing new lines until Ctrl-C")] = False,
) -> None:
    """Show the log of a program; of three brokers each after the other."""
    s = settings()
    names: tuple[str, ...] = (name,) if name == "supervisord" else tuple(choose(roster(s), name))
    files = [log_file(s, one) for one in names]
    if not (there := [file for file in files if file.exists()]):
        raise PermanentFailure(f"{name} has written nothing yet: it has not been started in {s.home}")
    log_files.show(there, lines)
    if follow:
        log_files.follow(there)
