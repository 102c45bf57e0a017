"""The commands `lab ...`: small experiments on the running broker, each with a table and a sentence.

Data flow: a lab -> terminal, `<home>/lab/<lab>.json`, `<home>/lab/index.html`
Run: daybreak lab delivery
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.table import Table

from infra.commands.screen import Screen
from infra.commands.shop_db_on import shop_db_on
from infra.failures import PermanentFailure
from infra.lab import (
    compaction,
    compaction_table,
    delivery,
    delivery_table,
    dual_writes,
    dual_writes_table,
    groups,
    groups_table,
    page,
    polling,
    polling_table,
)
from infra.lab.direct import measure as direct
from infra.lab.direct import table as direct_table
from infra.lab.group_member import COMMIT_EVERY
from infra.lab.labs import COMPACTION, DELIVERY, DIRECT, DUAL_WRITES, GROUPS, POLLING, Lab
from infra.lab.result import Result, Row, keep
from infra.settings import settings

commands = typer.Typer()
labs = typer.Typer(
    no_args_is_help=True,
    help="Measure what Kafka promises, and what one has without it. Labs use topics of their own and delete them at their end.",
)
commands.add_typer(labs, name="lab")
console = Screen()

Seed = Annotated[int, typer.Option(help="The same seed kills in the same places, and sends the same.")]


@labs.command("delivery")
def run_delivery(
    kills: Annotated[int, typer.Option(min=1, max=200, help="Deaths of each of the three consumers.")] = 20,
    seed: Seed = 1,
) -> None:
    """Kill a consumer that works at-most-once, at-least-once and exactly-once; count lost and doubled records."""
    with console.status(f"three consumers are killed {kills} times each"):
        found = delivery.measure(settings(), kills, seed)
    how = f"Each consumer was killed {kills} times by SIGKILL, at places drawn with seed {seed}."
    show(DELIVERY, delivery_table.rows(found), delivery_table.shows(found), how, delivery_table.broken(found))


@labs.command("groups")
def run_groups(seed: Seed = 1) -> None:
    """Run two consumer groups; kill a member, add members, let one hang; measure who reads what and who is delayed."""
    with console.status("two consumer groups read, and lose members"):
        steps = groups.measure(settings(), seed)
    how = (
        f"In each step {groups.SENT} records were sent to each of {groups.PARTITIONS} partitions; members commit every "
        f"{COMMIT_EVERY} records; the places of death were drawn with seed {seed}."
    )
    show(GROUPS, groups_table.rows(steps), groups_table.shows(steps), how, groups_table.broken(steps))


@labs.command("compaction")
def run_compaction(
    records: Annotated[int, typer.Option(min=200, max=100_000, help="Updates and deletions to send.")] = 2_000,
    seed: Seed = 1,
) -> None:
    """Rebuild one state from a whole log, from a compacted topic, and from a snapshot with the log behind it."""
    with console.status("a topic is filled, and Kafka compacts it: up to half a minute"):
        found, late = compaction.measure(settings(), records, seed)
    how = (
        f"{records:,} updates of {compaction.KEYS} keys, one in ten a deletion, drawn with seed {seed}; one partition."
    )
    shown = compaction_table.rows(found, late), compaction_table.shows(found, late)
    show(COMPACTION, *shown, how, compaction_table.broken(found, late))


@labs.command("polling")
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


@labs.command("dual-writes")
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


@labs.command("direct")
def run_direct(
    rate: Annotated[float, typer.Option(min=20, max=2_000, help="Orders per second.")] = 300,
    away: Annotated[float, typer.Option(min=0.5, max=60, help="Seconds that a consumer is away.")] = 5,
    seed: Seed = 1,
) -> None:
    """Send orders to two consumers by TCP, UDP, ZeroMQ, webhooks and Kafka; kill both ends; count lost and doubled ones."""
    with console.status("orders go over nine transports, whose ends are killed: most of a minute"):
        found = direct.measure(settings(), rate, away, seed)
    how = (
        f"{rate:g} orders per second, the shop's, drawn with seed {seed}. Consumer 2 was away for {away:g} s; the producer that "
        f"repeats keeps {direct.history(rate, away):,} messages. While all are well, each transport ran alone; in the other "
        f"situations all ran side by side, so there compare delays with each other only. Killed: with SIGKILL, once before the "
        "work on a message and once behind it, before its acknowledgement; a successor came at once."
    )
    show(DIRECT, direct_table.rows(found), direct_table.shows(found), how, direct_table.broken(found))


def show(lab: Lab, rows: Sequence[Row], shows: str, how: str, broken: list[str]) -> None:
    """Print a result and keep it. Raises PermanentFailure if a promise was broken."""
    table = Table(title=lab.question, title_justify="left", box=None, header_style="dim")
    for name, value in rows[0].items():
        table.add_column(name, justify="right" if isinstance(value, int) else "left")
    for row in rows:
        table.add_row(*(f"{value:,}" if isinstance(value, int) else value for value in row.values()))
    console.print(table)
    console.print(shows, soft_wrap=True)
    home = settings().home
    keep(home, lab, Result(lab.name, datetime.now(UTC), list(rows), shows, how, broken))
    console.print(f"[dim]{page.publish(home)}: *Lab* in Airflow's menu[/]", soft_wrap=True)
    if broken:
        raise PermanentFailure(f"a promise was not kept: {'; '.join(broken)}")
