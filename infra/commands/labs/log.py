"""The labs of the log: what becomes of a record when a consumer dies, who reads what, what a log keeps.

Data flow: a lab -> terminal, `<home>/lab/<lab>.json`, `<home>/lab/index.html`
Run: daybreak lab delivery
"""

from typing import Annotated

import typer

from infra.commands.labs.show import Seed, console, show
from infra.lab import compaction, compaction_table, delivery, delivery_table, groups, groups_table
from infra.lab.group_member import COMMIT_EVERY
from infra.lab.labs import COMPACTION, DELIVERY, GROUPS
from infra.settings import settings

commands = typer.Typer()


@commands.command("delivery")
def run_delivery(
    kills: Annotated[int, typer.Option(min=1, max=200, help="Deaths of each of the three consumers.")] = 20,
    seed: Seed = 1,
) -> None:
    """Kill a consumer that works at-most-once, at-least-once and exactly-once; count lost and doubled records."""
    with console.status(f"three consumers are killed {kills} times each"):
        found = delivery.measure(settings(), kills, seed)
    how = f"Each consumer was killed {kills} times by SIGKILL, at places drawn with seed {seed}."
    show(DELIVERY, delivery_table.rows(found), delivery_table.shows(found), how, delivery_table.broken(found))


@commands.command("groups")
def run_groups(seed: Seed = 1) -> None:
    """Run two consumer groups; kill a member, add members, let one hang; measure who reads what and who is delayed."""
    with console.status("two consumer groups read, and lose members"):
        steps = groups.measure(settings(), seed)
    how = (
        f"In each step {groups.SENT} records were sent to each of {groups.PARTITIONS} partitions; members commit every "
        f"{COMMIT_EVERY} records; the places of death were drawn with seed {seed}."
    )
    show(GROUPS, groups_table.rows(steps), groups_table.shows(steps), how, groups_table.broken(steps))


@commands.command("compaction")
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
