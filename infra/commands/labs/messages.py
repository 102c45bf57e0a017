"""The labs of messages between processes: what each way to send them loses, doubles and delays.

Data flow: a lab -> terminal, `<home>/lab/<lab>.json`, `<home>/lab/index.html`
Run: daybreak lab direct
"""

from pathlib import Path
from typing import Annotated

import typer

from infra.commands.labs.show import Seed, console, show
from infra.lab.direct import measure as direct
from infra.lab.direct import table as direct_table
from infra.lab.labs import DIRECT, OVERLOAD
from infra.lab.overload import measure as overload
from infra.lab.overload import table as overload_table
from infra.lab.overload.curves import curves
from infra.lab.overload.load import TIMES, Load
from infra.options import QUEUE
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


@commands.command("overload")
def run_overload(
    rate: Annotated[
        float, typer.Option(min=100, max=20_000, help="Orders per second that the producer makes.")
    ] = 4_000,
    seconds: Annotated[float, typer.Option(min=0.5, max=20, help="For so long it makes orders.")] = 5,
    seed: Seed = 1,
) -> None:
    """Make orders four times as fast as the consumer: drop, buffer, wait or a log; loss, delay, memory and disk over time."""
    s = settings()
    with console.status(f"{rate:g} orders per second come to consumers that process {rate / TIMES:g}: half a minute"):
        found = overload.measure(s, rate, seconds, seed)
    of = Load(Path(), round(rate * seconds), rate)
    how = (
        f"{of.count:,} orders of the shop, drawn with seed {seed}, {rate:g} per second; a consumer processes {rate / TIMES:g} a "
        f"second. A queue with a limit holds {of.high_water:,} messages, and so many the history of who repeats; a socket's "
        f"buffer {of.socket_bytes / 1000:,.0f} kB; the queue without a limit is in a process that may have "
        f"{of.memory / 1e6:,.1f} MB more. All ran side by side."
        f"{'' if s.has(QUEUE) else ' The queue broker was off: daybreak up --with queue.'}"
    )
    shown = overload_table.rows(found), overload_table.shows(found, seconds)
    show(OVERLOAD, *shown, how, overload_table.broken(found), curves(found, rate))
