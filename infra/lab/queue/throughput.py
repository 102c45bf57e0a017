"""How fast messages go in and out while none, many, and very many wait: each alone, with a process at each end.

Data flow: waiting messages -> a queue or a topic -> processes that pour and drain -> Speed
Run: daybreak lab queue --waiting 1000000
"""

import threading
from dataclasses import dataclass

from infra.lab.processes.process import Process
from infra.lab.queue.flow import BATCH, BODY, flush, kafka_producer
from infra.lab.queue.job import Access, Job, Role, Way
from infra.lab.queue.stage import Spare
from infra.queue.connection import Connection

POLL_SECONDS = 0.01
PART = 10_000
FILL_SECONDS = 300
"""Longest time in which the brokers take what is to wait."""


@dataclass(frozen=True)
class Load:
    """What is measured: a way in which so many messages wait, and whether new ones are durable."""

    way: Way
    waiting: int
    durable: bool = True


@dataclass(frozen=True)
class Speed:
    """Messages per second that went in, and that were taken and acknowledged, at the same time."""

    load: Load
    sent: float
    taken: float


def fill(load: Load, source: str, access: Access, stopped: threading.Event) -> None:
    """Put the messages there that are to wait, unless it is `stopped`. Raises TransientFailure if the broker takes them not."""
    if load.way is Way.QUEUE:
        with Connection(access.broker) as connection:
            for left in range(load.waiting, 0, -PART):
                if not stopped.is_set():
                    connection.send_copies(source, BODY, min(left, PART))
            connection.flush(FILL_SECONDS)
        return
    producer = kafka_producer(access.options)
    batch = [{"value": BODY} for _ in range(BATCH)]
    left = load.waiting
    while left and not stopped.is_set():
        # It says how many of them the client's buffer had room for.
        left -= producer.produce_batch(source, batch[:left], partition=0)
        producer.poll(POLL_SECONDS if left else 0)
    flush(producer, FILL_SECONDS)


def speed(load: Load, source: str, access: Access, spare: Spare, seconds: float) -> Speed:
    """Measure one load for so many seconds."""
    pair = []
    for role in (Role.DRAINS, Role.POURS):
        process = spare.take()
        process.begin(Job(load.way, role, access, source, f"{source}-1", seconds=seconds, durable=load.durable))
        pair.append(process)
    for process in pair:
        process.tell("run")
    taken, sent = map(_rate, pair)
    for process in pair:
        process.end()
    return Speed(load, sent, taken)


def _rate(process: Process) -> float:
    messages, seconds = process.says("done").split()
    return int(messages) / float(seconds)
