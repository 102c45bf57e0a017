"""The labs of the log: what becomes of a record when a consumer dies, who reads what, what a log keeps.

Data flow: a lab -> terminal, `<home>/lab/<lab>.json`, `<home>/lab/index.html`
Run: daybreak lab delivery
"""

from typing import Annotated

import typer

from infra.commands.labs.show import Seed, console, show
from infra.lab import compaction, compaction_table, delivery, delivery_table, groups, groups_table
from infra.lab.acks import cluster as acks_cluster
from infra.lab.acks import measure as acks
from infra.lab.acks import table as acks_table
from infra.lab.group_member import COMMIT_EVERY
from infra.lab.labs import ACKS, COMPACTION, DELIVERY, GROUPS
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


@commands.command("acks")
def run_acks(
    rate: Annotated[float, typer.Option(min=50, max=5_000, help="Orders per second of each producer.")] = 1_000,
    kills: Annotated[int, typer.Option(min=1, max=20, help="Deaths of the leader.")] = 2,
    seed: Seed = 1,
) -> None:
    """Kill the leader of three brokers under load, with acks 0, 1, all, and idempotence; count what was acknowledged and lost."""
    with console.status(f"three brokers start; their leader is killed {kills + 1} times: most of a minute"):
        found = acks.measure(settings(), rate, kills, seed)
    how = (
        f"{rate:,g} orders per second and producer, the shop's, drawn with seed {seed}; one partition each. While all were well "
        f"each ran alone, else all ran side by side, so there compare waits with each other only. The leader was killed {kills} "
        f"times, and once {acks.PAUSE_SECONDS:g} s after its followers had stopped. Brokers as the platform's three (replication "
        f"3, min.insync.replicas 2), but a silent one counts as dead after {acks_cluster.SILENT_MS / 1000:g} s, not 9; clients "
        "with librdkafka's defaults, but with linger.ms 0 while all were well."
    )
    show(ACKS, acks_table.rows(found), acks_table.shows(found), how, acks_table.broken(found))


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
