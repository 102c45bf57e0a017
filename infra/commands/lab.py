"""The commands `lab ...`: small experiments on the running broker, each with a table and a sentence.

Data flow: a lab -> terminal, `<home>/lab/<lab>.json`, `<home>/lab/index.html`
Run: daybreak lab delivery
"""

import typer

from infra.commands.labs import fit, log, messages

commands = typer.Typer()
labs = typer.Typer(
    no_args_is_help=True,
    help="Measure what Kafka promises, and what one has without it. Labs use topics of their own and delete them at their end.",
)
commands.add_typer(labs, name="lab")
for family in (log, messages, fit):
    labs.registered_commands += family.commands.registered_commands
