"""The command line.

Data flow: arguments -> one function of infra/cli -> the terminal
Run: daybreak --help
"""

from importlib import import_module
from importlib.util import find_spec

import typer

from infra.failures import reported

MODULES = (
    "platform", "doctor", "traffic", "nights", "decide", "redefine", "look", "beeline", "found", "curve", "freshness", "lag",
    "gaps", "corrections", "report", "demo",
)  # fmt: skip

app = typer.Typer(
    help="Daybreak: the stream answers now; the night proves it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for module in MODULES:
    if find_spec(f"{__name__}.{module}"):
        app.registered_commands += import_module(f"{__name__}.{module}").commands.registered_commands


def main() -> None:
    """Run a command; a failure of ours is one sentence and an exit code."""
    with reported():
        app()
