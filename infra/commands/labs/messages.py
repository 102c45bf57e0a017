"""The labs of messages between processes: what each way to send them loses, doubles and delays.

Data flow: a lab -> terminal, `<home>/lab/<lab>.json`, `<home>/lab/index.html`
Run: daybreak lab direct
"""

from pathlib import Path
from typing import Annotated

import typer

from infra import options
from infra.commands.labs.show import Seed, console, show
from infra.commands.queue_on import queue_on
from infra.lab.direct import measure as direct
from infra.lab.direct import table as direct_table
from infra.lab.labs import DIRECT, OVERLOAD, QUEUE
from infra.lab.overload import measure as overload
from infra.lab.overload import table as overload_table
from infra.lab.overload.curves import curves
from infra.lab.overload.run import TIMES, Load
from infra.lab.queue import measure as queue
from infra.lab.queue import table as queue_table
from infra.lab.queue.promises import broken
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
        f"{'' if s.has(options.QUEUE) else ' The queue broker was off: daybreak up --with queue.'}"
    )
    shown = overload_table.rows(found), overload_table.shows(found, seconds)
    show(OVERLOAD, *shown, how, overload_table.broken(found), curves(found, rate))


@commands.command("queue")
def run_queue(
    waiting: Annotated[
        int, typer.Option(min=10, max=5_000_000, help="Most messages that wait while the speed is measured.")
    ] = 1_000_000,
    seconds: Annotated[float, typer.Option(min=0.1, max=30, help="For so long each speed is measured.")] = 1.0,
) -> None:
    """Kill consumers of a queue, a share group and a partition: who gets what, in which order; needs the option queue."""
    s = queue_on()
    with console.status(f"consumers are killed, and {waiting:,} messages come to wait: most of a minute"):
        found = queue.measure(s, waiting, seconds)
    for line in queue_table.story(found):
        console.print(line, soft_wrap=True)
    how = (
        "Consumers are killed with SIGKILL. A message is given up after "
        f"{found.attempts} deliveries (DAYBREAK_QUEUE_ATTEMPTS). Where consumers of one partition die, a successor assigns it to "
        "itself; but in the story consumer 1 is given it when the session of consumer 2 has ended. Each speed is that of "
        f"{seconds:g} s, with messages of 100 bytes; the queue's are acknowledged one by one, a share group's and a "
        "partition's by batches. "
        f"The story, as its ledgers have it: {' '.join(queue_table.story(found))}"
    )
    show(QUEUE, queue_table.rows(found), queue_table.shows(found), how, broken(found))
