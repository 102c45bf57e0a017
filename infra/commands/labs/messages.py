"""The labs of messages between processes: what each way to send them loses, doubles and delays.

Data flow: a lab -> terminal, `<home>/lab/<lab>.json`, `<home>/lab/index.html`
Run: daybreak lab direct
"""

from typing import Annotated

import typer

from infra.commands.labs.show import Seed, console, show
from infra.lab.direct import measure as direct
from infra.lab.direct import table as direct_table
from infra.lab.labs import DIRECT
from infra.settings import settings

commands = typer.Typer()


@commands.command("direct")
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
