"""Compacted topics that the platform writes: created if they are missing, refused if they would lose records.

Data flow: names and partitions -> Kafka topics
Run: python -m batch publish
"""

import time
from collections.abc import Mapping

from confluent_kafka.admin import AdminClient, ConfigResource, NewTopic, ResourceType  # type: ignore[attr-defined]

from infra.failures import PermanentFailure, TransientFailure
from infra.kafka import client
from infra.kafka import create as made
from infra.settings import settings

SECONDS = 20
COMPACTED = {"cleanup.policy": "compact", "message.timestamp.type": "LogAppendTime"}


def create(wanted: Mapping[str, int], setting: str) -> None:
    """Create the missing topics (name -> partitions), and refuse an existing one that is not compacted.

    `setting` is the environment variable that names the topic.

    Raises:
        TransientFailure: Kafka does not answer.
        PermanentFailure: a topic cannot be created, or its cleanup.policy deletes records by age.
    """
    admin = client.admin()
    with client.answers():
        there = admin.list_topics(timeout=SECONDS).topics
        _create(admin, {topic: count for topic, count in wanted.items() if topic not in there})
        resources = [ConfigResource(ResourceType.TOPIC, topic) for topic in wanted if topic in there]
        for resource, described in (admin.describe_configs(resources) if resources else {}).items():
            _refuse_loss(resource.name, described.result(timeout=SECONDS)["cleanup.policy"].value, setting)


def _create(admin: AdminClient, missing: Mapping[str, int]) -> None:
    """Create topics, and wait until Kafka lists them."""
    replication = settings().kafka_replication
    new = [NewTopic(topic, count, replication, config=COMPACTED) for topic, count in missing.items()]
    made.create(admin, new)
    give_up = time.monotonic() + SECONDS
    while missing.keys() - admin.list_topics(timeout=SECONDS).topics.keys():
        if time.monotonic() > give_up:
            raise TransientFailure(f"Kafka does not list its new topics {', '.join(missing)} within {SECONDS} s")
        time.sleep(0.1)


def _refuse_loss(topic: str, policy: str, setting: str) -> None:
    if policy != "compact":
        raise PermanentFailure(
            f"topic {topic!r} has cleanup.policy={policy}: Kafka would delete its records by their age. Set it to compact "
            f"(kafka-configs --alter), or name another topic by {setting}."
        )
