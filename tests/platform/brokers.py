"""Three brokers seen from outside: who leads what, which of them is the active controller, and a death that lasts.

Data flow: Kafka's metadata, `quorum-state` of each broker's folder -> leaders, controller
Run: pytest tests/platform/orders/test_three_brokers.py
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from confluent_kafka import IsolationLevel
from published import admin
from running import Platform, until

from infra.kafka.ends import ends
from infra.kafka.replicas import Replicas, replicas
from infra.services.kafka import BROKERS, nodes
from infra.services.program import Name

FAILOVER_SECONDS = 120
"""Kafka gives a silent broker 9 s; the machine may be busy."""


def program(number: int) -> Name:
    return BROKERS[number - 1]


def controller(platform: Platform, but: int | None = None) -> int:
    """The active controller, as the newest epoch says that any broker but that one has written; -1 during an election."""
    states = []
    for node in nodes(platform.settings):
        if node.number != but:
            states.append(json.loads((node.log / "__cluster_metadata-0" / "quorum-state").read_text()))
    return int(max(states, key=lambda state: int(state["leaderEpoch"]))["leaderId"])


def partitions(platform: Platform) -> list[Replicas]:
    return replicas(admin(platform).list_topics(timeout=30))


def leads(platform: Platform, number: int) -> set[str]:
    """The partitions that a broker leads."""
    return {one.name for one in partitions(platform) if one.leader == number}


def in_sync(platform: Platform) -> bool:
    """Has every partition all of its replicas, three, and a leader?"""
    return all(one.in_sync == {1, 2, 3} and not one.is_offline for one in partitions(platform))


def problems(platform: Platform) -> dict[str, dict[str, Any]]:
    """What `daybreak status --problems` says about Kafka's replicas, by id."""
    said = json.loads(platform.run("daybreak", "status", "--problems", "--json", check=False).stdout)
    return {one["id"]: one for one in said if one["id"].startswith("kafka.")}


def end_of(platform: Platform, start: str) -> int:
    """Records and markers of the topics whose names start so, as far as they are committed."""
    places = [(one.topic, one.partition) for one in partitions(platform) if one.topic.startswith(start)]
    return sum(ends(admin(platform), places, IsolationLevel.READ_COMMITTED).values())


def all_answered(platform: Platform) -> int:
    """Commands, once each has its one answer; before that 0."""
    said = platform.run("daybreak", "order", "check", "--json", check=False)
    return 0 if said.returncode else int(json.loads(said.stdout)["commands"])


def micro_batch(platform: Platform) -> int:
    return max((int(row["batch_id"]) for row in platform.rows("speed/progress", "batch_id")), default=-1)


@contextmanager
def dead(platform: Platform, number: int) -> Iterator[None]:
    """A broker is killed by SIGKILL, and stays away until the block ends; then it is waited for, with all its replicas."""
    name = program(number)
    pid = platform.kill(name)
    platform.supervisor().stop(name, wait=True)
    try:
        yield
    finally:
        platform.supervisor().begin(name)
    platform.wait_healthy(name, after=pid)
    until("all replicas are in sync", lambda: in_sync(platform))
