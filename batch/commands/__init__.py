"""The command line `daybreak`. It is assembled here because `batch` is the top layer: it may import all the others.

Data flow: arguments -> the module that has the command, the platform's or the project's -> one function of it -> the terminal
Run: daybreak --help
"""

import sys
from collections.abc import Iterator, Mapping
from importlib import import_module

import typer

from infra.failures import PermanentFailure, TransientFailure, reported

COMMANDS = {
    "setup": "infra.commands.setup",
    **dict.fromkeys(("up", "down", "restart", "logs"), "infra.commands.platform"),
    "status": "batch.commands.status",
    "doctor": "infra.commands.doctor",
    "new": "streaming.commands.new",
    "sample": "streaming.commands.sample",
    "move-store": "infra.commands.move_store",
    "cluster-conf": "infra.commands.cluster_conf",
    "send": "streaming.commands.send",
    **dict.fromkeys(("night", "backfill"), "batch.commands.nights"),
    "decide": "batch.commands.decide",
    "plan": "batch.commands.plan",
    "redefine": "batch.commands.redefine",
    **dict.fromkeys(("promote", "abandon"), "batch.commands.trying"),
    **dict.fromkeys(("query", "tables", "docs"), "infra.commands.query"),
    "beeline": "infra.commands.beeline",
    "set-back": "batch.commands.set_back",
    "reconciliation": "batch.commands.reconciliation",
    "curve": "batch.commands.curve",
    "freshness": "streaming.commands.freshness",
    "lag": "streaming.commands.lag",
    "metrics": "batch.commands.metrics",
    "explain": "batch.commands.explain",
    "gaps": "batch.commands.gaps",
    "conservation": "batch.commands.conservation",
    "corrections": "batch.commands.corrections",
    "alerts": "streaming.commands.alerts",
    "report": "batch.commands.report",
    "lab": "batch.commands.lab",
    "connect": "infra.commands.connect",
    "secrets": "infra.commands.secrets",
    "webhooks": "streaming.commands.webhooks",
    "notify": "streaming.commands.notify",
}
"""Command -> the module that has it, in the order of `--help`. Only that one is imported: all of them take seconds."""


def listed() -> dict[str, str]:
    """The platform's commands, then those of the project in force. Raises PermanentFailure if two have one name."""
    # Imported here because a command of the platform needs no project, and works where one does not load.
    from streaming.hooks import hooks, said_in

    own = hooks().commands
    if twice := sorted(COMMANDS.keys() & own.keys()):
        raise PermanentFailure(f"{said_in('commands')} has a command `{twice[0]}`, and so has the platform: rename it")
    return {**COMMANDS, **own}


def assembled(*asked: str) -> typer.Typer:
    """The command line; with the first argument of a call, no more of it than that command."""
    app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)

    # With it, a single command keeps its name.
    @app.callback(help="Daybreak: the stream answers now; the night proves it.")
    def _daybreak() -> None: ...

    for commands in _found(*asked[:1]):
        app.registered_commands += commands.registered_commands
        app.registered_groups += commands.registered_groups
    return app


def _found(*asked: str) -> Iterator[typer.Typer]:
    """The commands of the module that has this one; of all if there is no such command, or none was asked for."""
    if asked and asked[0] in COMMANDS:
        yield import_module(COMMANDS[asked[0]]).commands
        return
    known = listed()
    wanted = {name: known[name] for name in asked if name in known} or known
    ours = {*COMMANDS.values()}
    for module in dict.fromkeys(wanted.values()):
        yield import_module(module).commands if module in ours else _of_project(module, known)


def _of_project(module: str, known: Mapping[str, str]) -> typer.Typer:
    """Raises PermanentFailure unless each of its commands is listed once: another one could have a name of the platform's."""
    from streaming.hooks import commands, names, said_in

    found = commands("commands", module)
    listed = [name for name, its in known.items() if its == module]
    if sorted(has := names(found)) != sorted(listed):
        raise PermanentFailure(
            f"{said_in('commands')} names {', '.join(listed)} in {module}, which has {', '.join(has) or 'none'}: "
            "list each command of it, and none twice"
        )
    return found


def main() -> None:
    """Run a command; an expected failure prints one sentence and sets the exit code."""
    with reported():
        try:
            assembled(*sys.argv[1:])()
        except TransientFailure as failure:
            raise TransientFailure(f"{failure}{_no_platform()}") from failure


def _no_platform() -> str:
    """Said with a failure where nothing was ever started, perhaps because this is not the folder of a project."""
    from infra.project_setting import TOML, noted
    from infra.settings import settings

    if noted(home := settings().home):
        return ""
    return f"; no platform was ever started with the home {home}: was a folder with {TOML} meant, or another DAYBREAK_HOME?"
