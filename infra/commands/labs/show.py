"""What every lab's command does at its end: it prints the result, keeps it, and writes the page of all labs.

Data flow: rows, sentences -> terminal, `<home>/lab/<lab>.json`, `<home>/lab/index.html`
Run: daybreak lab delivery
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.table import Table

from infra.commands.screen import Screen
from infra.failures import PermanentFailure
from infra.lab import page
from infra.lab.labs import Lab
from infra.lab.result import Curves, Result, Row, keep
from infra.settings import settings

console = Screen()

Seed = Annotated[int, typer.Option(help="The same seed kills in the same places, and sends the same.")]


def show(lab: Lab, rows: Sequence[Row], shows: str, how: str, broken: list[str], curves: Sequence[Curves] = ()) -> None:
    """Print a result and keep it, with the `curves` that its chart draws. Raises PermanentFailure if a promise was broken."""
    table = Table(title=lab.question, title_justify="left", box=None, header_style="dim")
    for name, value in rows[0].items():
        table.add_column(name, justify="right" if isinstance(value, int) else "left")
    for row in rows:
        table.add_row(*(f"{value:,}" if isinstance(value, int) else value for value in row.values()))
    console.print(table)
    console.print(shows, soft_wrap=True)
    home = settings().home
    keep(home, lab, Result(lab.name, datetime.now(UTC), list(rows), shows, how, broken, list(curves)))
    console.print(f"[dim]{page.publish(home, settings().project)}: *Lab* in Airflow's menu[/]", soft_wrap=True)
    if broken:
        raise PermanentFailure(f"a promise was not kept: {'; '.join(broken)}")
