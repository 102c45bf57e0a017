"""The command line `daybreak`. It is assembled here because `batch` is the top layer: it may import all the others.

Data flow: arguments -> one function of a package of commands -> the terminal
Run: daybreak --help
"""

from importlib import import_module

import typer

from infra.failures import reported

MODULES = (
    "infra.commands.platform",
    "infra.commands.doctor",
    "streaming.commands.traffic",
    "batch.commands.nights",
    "batch.commands.decide",
    "batch.commands.redefine",
    "infra.commands.query",
    "infra.commands.beeline",
    "batch.commands.reconciliation",
    "batch.commands.curve",
    "streaming.commands.freshness",
    "streaming.commands.lag",
    "batch.commands.state",
    "batch.commands.gaps",
    "batch.commands.corrections",
    "streaming.commands.alerts",
    "batch.commands.report",
    "infra.commands.lab",
    "batch.commands.demo",
)
"""In the order of `--help`."""

app = typer.Typer(
    help="Daybreak: the stream answers now; the night proves it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for commands in (import_module(module).commands for module in MODULES):
    app.registered_commands += commands.registered_commands
    app.registered_groups += commands.registered_groups


def main() -> None:
    """Run a command; an expected failure prints one sentence and sets the exit code."""
    with reported():
        app()
