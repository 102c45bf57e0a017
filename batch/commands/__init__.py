"""The command line `daybreak`. It is assembled here because `batch` is the top layer: it may import all the others.

Data flow: arguments -> the module that has the command -> one function of it -> the terminal
Run: daybreak --help
"""

import sys
from importlib import import_module

import typer

from infra.failures import reported

COMMANDS = {
    **dict.fromkeys(("up", "down", "restart", "logs"), "infra.commands.platform"),
    "status": "batch.commands.status",
    "doctor": "infra.commands.doctor",
    "new": "streaming.commands.new",
    "sample": "streaming.commands.sample",
    "move-store": "infra.commands.move_store",
    "cluster-conf": "infra.commands.cluster_conf",
    **dict.fromkeys(("send", "shop"), "streaming.commands.traffic"),
    **dict.fromkeys(("night", "backfill"), "batch.commands.nights"),
    "decide": "batch.commands.decide",
    "plan": "batch.commands.plan",
    "redefine": "batch.commands.redefine",
    **dict.fromkeys(("query", "tables", "docs"), "infra.commands.query"),
    "beeline": "infra.commands.beeline",
    "set-back": "batch.commands.set_back",
    "reconciliation": "batch.commands.reconciliation",
    "curve": "batch.commands.curve",
    "freshness": "streaming.commands.freshness",
    "lag": "streaming.commands.lag",
    "metrics": "batch.commands.metrics",
    "explain": "batch.commands.explain",
    "state": "batch.shop.commands.state",
    "gaps": "batch.commands.gaps",
    "conservation": "batch.commands.conservation",
    "corrections": "batch.commands.corrections",
    "alerts": "streaming.commands.alerts",
    "report": "batch.commands.report",
    "demo": "batch.shop.commands.demo",
    "lab": "batch.shop.commands.lab",
    "connect": "infra.commands.connect",
    "secrets": "infra.commands.secrets",
    "shop-db": "batch.shop.commands.shop_db",
    "follower": "batch.shop.commands.follower",
    "order": "infra.shop.commands.order",
    "webhooks": "streaming.commands.webhooks",
    "notify": "streaming.commands.notify",
}
"""Command -> the module that has it, in the order of `--help`. Only that one is imported: all of them take seconds."""


def assembled(*asked: str) -> typer.Typer:
    """The command line; with the first argument of a call, no more of it than that command."""
    app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)

    # With it, a single command keeps its name.
    @app.callback(help="Daybreak: the stream answers now; the night proves it.")
    def _daybreak() -> None: ...

    modules = {COMMANDS[name] for name in asked[:1] if name in COMMANDS} or dict.fromkeys(COMMANDS.values())
    for commands in (import_module(module).commands for module in modules):
        app.registered_commands += commands.registered_commands
        app.registered_groups += commands.registered_groups
    return app


def main() -> None:
    """Run a command; an expected failure prints one sentence and sets the exit code."""
    with reported():
        assembled(*sys.argv[1:])()
