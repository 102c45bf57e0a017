"""Create the Kafka topics of the contracts.

Data flow: Contract -> Kafka topic with partitions, retention and the broker's clock
Run: python -m streaming
"""

import json
import time
from collections.abc import Collection, Mapping

from confluent_kafka.admin import AdminClient, ConfigResource, NewTopic, ResourceType, TopicMetadata  # type: ignore[attr-defined]

from infra.capture.topics import topic_configuration
from infra.failures import PermanentFailure, TransientFailure
from infra.kafka import client
from infra.kafka import create as made
from infra.settings import Settings, settings
from streaming.contracts import CONTRACTS
from streaming.contracts.contract import Contract

EARLIEST = -2
"""Spark's number for the start of a partition."""


SECONDS = 20


def create() -> None:
    """Create missing topics. Raises PermanentFailure for a topic whose timestamps are not the broker's."""
    s = settings()
    admin = client.admin()
    present = _present(admin)
    missing = [
        NewTopic(topic, s.topic_partitions, s.kafka_replication, config=_config(s, contract))
        for topic, contract in CONTRACTS.items()
        if topic not in present
    ]
    made.create(admin, missing)
    _wait(admin, [one.topic for one in missing])
    _refuse_producer_clocks(admin)


def _wait(admin: AdminClient, made: Collection[str]) -> None:
    """Until each partition has a leader: before that it has no bounds."""
    give_up = time.monotonic() + SECONDS
    while made and not all(map(_is_there, map(_present(admin).get, made))):
        if time.monotonic() > give_up:
            raise TransientFailure(f"Kafka does not list its new topics {', '.join(made)} within {SECONDS} s")
        time.sleep(0.1)


def _is_there(topic: TopicMetadata | None) -> bool:
    return topic is not None and not topic.error and all(one.leader >= 0 for one in topic.partitions.values())


def _config(s: Settings, contract: Contract) -> dict[str, str]:
    if contract.captured:
        return topic_configuration(s)
    return {"message.timestamp.type": "LogAppendTime", "retention.ms": str(s.topic_retention_hours * 3_600_000)}


def needed(topic: str) -> dict[str, str]:
    """The settings that a contract's topic is created with."""
    return _config(settings(), CONTRACTS[topic])


def may_be_compacted(topic: str) -> bool:
    """Is it a topic of which Kafka may keep only the newest record of each key? Only captured changes are."""
    return "compact" in needed(topic).get("cleanup.policy", "")


def starting_offsets(ends: Mapping[str, Mapping[str, int]]) -> str:
    """Spark's `startingOffsets`: the offsets in `ends`, and the start of every other partition."""
    present = _present(client.admin())
    return json.dumps(
        {
            topic: {str(number): ends.get(topic, {}).get(str(number), EARLIEST) for number in present[topic].partitions}
            for topic in CONTRACTS
        }
    )


def _present(admin: AdminClient) -> dict[str, TopicMetadata]:
    with client.answers():
        return dict(admin.list_topics(timeout=20).topics)


def _refuse_producer_clocks(admin: AdminClient) -> None:
    resources = [ConfigResource(ResourceType.TOPIC, topic) for topic in CONTRACTS]
    with client.answers():
        answers = admin.describe_configs(resources)
        kinds = {
            one.name: answer.result(timeout=SECONDS)["message.timestamp.type"].value for one, answer in answers.items()
        }
    for topic, kind in kinds.items():
        if kind != "LogAppendTime":
            raise PermanentFailure(
                f"topic {topic!r} has message.timestamp.type={kind}: arrival must be the broker's clock. "
                "Set it to LogAppendTime (kafka-configs --alter) and start again."
            )
