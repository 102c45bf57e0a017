"""The command `lab fit`: direct messages, a queue or a log, by the figures of the labs' newest runs.

Data flow: `<home>/lab/<lab>.json` -> terminal, `<home>/lab/index.html`
Run: daybreak lab fit
"""

import typer
from rich.table import Table

from infra.commands.labs.show import console
from infra.lab import page
from infra.lab.fit.table import at, fit, labs, missing
from infra.lab.labs import FIT
from infra.lab.result import newest
from infra.settings import settings

commands = typer.Typer()


@commands.command("fit")
def show_fit() -> None:
    """Show what fits: direct messages, a queue or a log, by this machine's newest figures; it runs nothing."""
    home = settings().home
    found = fit({lab: newest(home, lab) for lab in labs()})
    table = Table(title=FIT.question, title_justify="left", box=None, header_style="dim")
    for name in ("what happens", "way", "figure", "lab", "run (UTC)"):
        table.add_column(name, no_wrap=name.startswith("run"))
    need, choice = "", ""
    for one in found:
        new = (one.need if one.need != need else "", one.choice if (one.need, one.choice) != (need, choice) else "")
        need, choice = one.need, one.choice
        table.add_row(*new, one.says, one.lab.name, at(one), style=None if one.at else "dim")
    console.print(table)
    if commands := missing(found):
        console.print(f"For the rest, run: {'; '.join(commands)}", soft_wrap=True)
    console.print(f"[dim]{page.publish(home, settings().project)}: *Lab* in Airflow's menu[/]", soft_wrap=True)
