"""Are the topics' settings as their contracts need them? What would lose records, or refuse them, is a problem.

Data flow: settings of Kafka's topics, contracts -> problems
Run: daybreak status --problems
"""

from collections.abc import Mapping

from confluent_kafka.admin import AdminClient, ConfigResource, ResourceType  # type: ignore[attr-defined]

from infra.kafka import client
from infra.kafka.login import of_tools
from infra.problems import Problem, keep
from infra.settings import Settings, settings
from streaming.contracts import CONTRACTS
from streaming.encodings.as_json import MAX_BYTES
from streaming.positions.topics import may_be_compacted, needed

SOURCE = "topics"
"""Of the problems. The stream looks at its start, and every night."""
LARGEST_BATCH = 2 * MAX_BYTES
"""Bytes that a broker must take in one batch: an event of MAX_BYTES with its key, headers and the batch's own header."""


def look() -> None:
    """Keep what is wrong with the topics' settings as problems. Raises TransientFailure if Kafka does not answer."""
    s = settings()
    keep(s, SOURCE, [one for topic, found in described(client.admin()).items() for one in wrong(s, topic, found)])


def described(admin: AdminClient) -> dict[str, dict[str, str]]:
    """The settings of every contract's topic, as the broker has them; a topic that does not exist is left out."""
    with client.answers():
        present = admin.list_topics(timeout=20).topics
        there = [ConfigResource(ResourceType.TOPIC, topic) for topic in CONTRACTS if topic in present]
        answers = admin.describe_configs(there) if there else {}
        found = {resource.name: answer.result(timeout=20) for resource, answer in answers.items()}
    return {topic: {name: str(one.value) for name, one in entries.items()} for topic, entries in found.items()}


def wrong(s: Settings, topic: str, found: Mapping[str, str]) -> list[Problem]:
    """A problem for each setting of a topic that would lose records, or stop them from coming."""
    own, kept = needed(topic), s.topic_retention_hours * 3_600_000
    policy, compacted = found["cleanup.policy"], may_be_compacted(topic)
    why: dict[str, tuple[str, str]] = {}
    if "compact" in policy and not compacted:
        why["cleanup.policy"] = "delete", "Kafka removes all but the newest record of each key, read or not"
    if "delete" in policy and compacted:
        why["cleanup.policy"] = own["cleanup.policy"], "followers are rebuilt from it, and Kafka deletes its records"
    if found["message.timestamp.type"] != own["message.timestamp.type"]:
        why["message.timestamp.type"] = own["message.timestamp.type"], "arrival must be the broker's clock"
    if "delete" in policy and not compacted and 0 <= int(found["retention.ms"]) < kept:
        why["retention.ms"] = str(kept), "Kafka deletes records sooner than DAYBREAK_TOPIC_RETENTION_HOURS says"
    if "delete" in policy and int(found["retention.bytes"]) >= 0:
        why["retention.bytes"] = "-1", "Kafka deletes records by size, however new and unread they are"
    if int(found["max.message.bytes"]) < LARGEST_BATCH:
        why["max.message.bytes"] = (
            str(LARGEST_BATCH),
            f"Kafka refuses events that a contract allows, of {MAX_BYTES:,} bytes",
        )
    return [
        Problem(
            f"topic.{name}/{topic}",
            f"topic {topic} has {name}={found[name]}, and needs {value}: {reason}",
            f"kafka-configs {of_tools(s)} --alter --topic {topic} --add-config {name}={value}",
        )
        for name, (value, reason) in why.items()
    ]
