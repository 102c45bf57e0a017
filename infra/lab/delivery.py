"""The delivery lab: the same consumer at-most-once, at-least-once and exactly-once, killed again and again.

Data flow: records in a lab topic -> consumers that die by SIGKILL -> one output topic per mode -> lost and doubled counted
Run: daybreak lab delivery

The modes run side by side on the same input. Each consumer is a process of its own, dies at a place that was drawn for
it (infra/lab/kills.py), and is followed by another one in the same consumer group. The last one reads to the end.
"""

import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from confluent_kafka import Producer

from infra.failures import TransientFailure
from infra.kafka import client
from infra.kafka.read_committed import committed, written
from infra.lab.counts import Counts, count
from infra.lab.delivery_consumer import Job, Mode
from infra.lab.kills import Kill, enough, kills
from infra.lab.topics import fill, topics
from infra.settings import ROOT, Settings

PARTITIONS = 2
LIFE_SECONDS = 120
"""Longest life of one consumer; it takes about a second."""


@dataclass(frozen=True)
class Delivery:
    """What one mode did: how its consumers were killed, what became of the records, and how many were `rolled_back`.

    A record that was rolled back is in the log, but its transaction was aborted: a read-committed consumer does not see it.
    """

    mode: Mode
    kills: int
    counts: Counts
    rolled_back: int


def measure(s: Settings, count_of_kills: int, seed: int) -> list[Delivery]:
    """Run the three modes and count. Raises TransientFailure if Kafka or a consumer fails."""
    ids = [str(number) for number in range(enough(count_of_kills))]
    plan = kills(count_of_kills, seed)
    with topics("delivery", ["input", *Mode], PARTITIONS, s.kafka_replication) as (source, *targets):
        fill(source, ids, PARTITIONS)
        with ThreadPoolExecutor(len(Mode)) as pool:
            for done in [pool.submit(_consume, *pair, source, plan) for pair in zip(Mode, targets, strict=True)]:
                done.result()
        return [_counted(mode, ids, target, len(plan)) for mode, target in zip(Mode, targets, strict=True)]


def _consume(mode: Mode, target: str, source: str, plan: list[Kill]) -> None:
    """One consumer after the other: each is killed, and the last one reads to the end."""
    for kill in (*plan, None):
        job = Job(client.options(), mode, source, target, PARTITIONS, kill)
        command = [sys.executable, "-m", "infra.lab.delivery_consumer"]
        try:
            ended = subprocess.run(
                command, cwd=ROOT, input=job.text(), capture_output=True, text=True, timeout=LIFE_SECONDS
            )
        except subprocess.TimeoutExpired:
            raise TransientFailure(f"the {mode} consumer of the lab did not end within {LIFE_SECONDS} s") from None
        if ended.returncode != (-signal.SIGKILL if kill else 0):
            said = (ended.stderr.strip().splitlines() or ["it read the log to its end before it was to die"])[-1]
            raise TransientFailure(f"the {mode} consumer of the lab ended with {ended.returncode}: {said}")


def _counted(mode: Mode, ids: list[str], target: str, killed: int) -> Delivery:
    if mode is Mode.EXACTLY_ONCE:
        # The broker answers a commit before it has marked it in every partition. It lets a new producer of the same
        # transactional id in after that, so from here on a reader sees the last transaction too.
        with client.answers():
            Producer(client.options() | {"transactional.id": target}).init_transactions(LIFE_SECONDS)
    visible = [(record.value() or b"").decode() for record in committed(target)]
    return Delivery(mode, killed, count(ids, visible), sum(1 for _ in written(target)) - len(visible))
