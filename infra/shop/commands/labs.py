"""The labs of databases: how one follows their changes, and what becomes of systems that are written side by side.

Data flow: a lab -> terminal, `<home>/lab/<lab>.json`, `<home>/lab/index.html`
Run: daybreak lab polling
"""

from typing import Annotated

import typer

from infra.commands.labs.show import Seed, console, show
from infra.lab import dual_writes, dual_writes_table, polling, polling_table
from infra.lab.labs import DUAL_WRITES, POLLING
from infra.shop.commands.shop_db_on import shop_db_on

commands = typer.Typer()


@commands.command("polling")
def run_polling(
    changes: Annotated[int, typer.Option(min=50, max=10_000, help="Changes of the lab's table, 25 per second.")] = 250,
    seed: Seed = 1,
) -> None:
    """Follow a table's changes by queries, by notifications and by change capture; needs `daybreak up --with shop-db`."""
    s = shop_db_on()
    with console.status(f"a table is changed {changes:,} times, and followed in five ways"):
        scene, found = polling.measure(s, changes, seed)
    how = (
        f"{changes:,} changes of {polling.KEYS} rows, {polling.RATE:g} per second, drawn with seed {seed}; in the "
        "middle nobody looked for a moment."
    )
    shown = polling_table.rows(scene, found), polling_table.shows(scene, found)
    show(POLLING, *shown, how, polling_table.broken(scene, found))


@commands.command("dual-writes")
def run_dual_writes(
    keys: Annotated[int, typer.Option(min=10, max=2_000, help="Keys, each written once by every writer.")] = 40,
    seed: Seed = 1,
) -> None:
    """Write a database, a search index and events by hand, and by change capture; compare them; needs the option shop-db."""
    s = shop_db_on()
    with console.status(f"{dual_writes.WRITERS} writers write {keys:,} keys each, twice"):
        found = dual_writes.measure(s, keys, seed)
    how = (
        f"{keys:,} keys, each written once by each of {dual_writes.WRITERS} writers in the same order; delays of up to "
        f"{dual_writes.HOP_SECONDS * 1000:.0f} ms between two systems, drawn with seed {seed}."
    )
    show(
        DUAL_WRITES, dual_writes_table.rows(found), dual_writes_table.shows(found), how, dual_writes_table.broken(found)
    )
