"""What the lab makes in the brokers, and deletes at its end: queues, and share groups of Kafka.

Data flow: names -> queues `lab-queue-...`, share groups -> nothing
Run: daybreak lab queue

Topics and consumer groups are those of infra/lab/topics.py.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from uuid import uuid4

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ResourceType,
)

from infra.kafka import client
from infra.lab.queue.consumers import SESSION_MS
from infra.queue.broker import Broker, dead_letters
from infra.queue.connection import Connection
from infra.queue.management import Management

SECONDS = 20
HEARTBEAT_MS = 500
"""A member learns with a heartbeat what it is to read; by default there is one in five seconds."""
FORGOTTEN_SECONDS = 60
"""A group whose member was killed is empty after the session's timeout; with Kafka's default that is 45 s."""


@contextmanager
def queues(broker: Broker) -> Iterator[str]:
    """Yield how the names of the lab's queues are to begin; at the end those that there are are deleted, with their dead
    letters. Raises TransientFailure if the broker is away."""
    prefix = f"lab-queue-{uuid4().hex[:8]}-"
    with Connection(broker):
        pass
    try:
        yield prefix
    finally:
        with Connection(broker) as connection:
            management = Management(connection)
            for name in management.queues():
                if name.startswith((prefix, dead_letters(prefix))):
                    management.delete(name)


@contextmanager
def share_groups(names: Sequence[str], attempts: int) -> Iterator[None]:
    """Share groups with these names are quick to find a death, and give a record up after so many `attempts`.

    At the end they are deleted. Raises TransientFailure if Kafka does not answer.
    """
    wanted = {
        # Without it a group begins at the log's end.
        "share.auto.offset.reset": "earliest",
        "share.delivery.count.limit": str(attempts),
        "share.session.timeout.ms": str(SESSION_MS),
        "share.heartbeat.interval.ms": str(HEARTBEAT_MS),
    }
    admin = client.admin()

    def settle(operation: AlterConfigOpType) -> None:
        changes = [ConfigEntry(name, value, incremental_operation=operation) for name, value in wanted.items()]
        groups = [ConfigResource(ResourceType.GROUP, name, incremental_configs=changes) for name in names]
        for changed in admin.incremental_alter_configs(groups).values():
            changed.result(SECONDS)

    with client.answers():
        settle(AlterConfigOpType.SET)
    try:
        yield
    finally:
        with client.answers():
            _delete(admin, names)
            settle(AlterConfigOpType.DELETE)


def _delete(admin: AdminClient, names: Sequence[str]) -> None:
    left, give_up = set(names), time.monotonic() + FORGOTTEN_SECONDS
    while left:
        for name, deleted in admin.delete_consumer_groups(sorted(left)).items():
            try:
                deleted.result(SECONDS)
            except KafkaException as failure:
                if failure.args[0].code() == KafkaError.NON_EMPTY_GROUP and time.monotonic() < give_up:
                    continue
                if failure.args[0].code() != KafkaError.GROUP_ID_NOT_FOUND:
                    raise
            left.discard(name)
        time.sleep(0.2 if left else 0)
