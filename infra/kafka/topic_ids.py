"""The id that Kafka gave a topic when it was made: one that is deleted and made again under its name has another.

Data flow: Kafka's admin API -> topic -> id
Run: pytest tests/streaming/test_same_log.py
Source: KIP-516, Topic Identifiers.
"""

import base64
from collections.abc import Collection
from typing import Any

from confluent_kafka import KafkaError, KafkaException, TopicCollection
from confluent_kafka.admin import AdminClient, TopicDescription  # type: ignore[attr-defined]

from infra.kafka import client

SECONDS = 20


def topic_ids(topics: Collection[str], admin: AdminClient | None = None) -> dict[str, str]:
    """The id of each topic that there is, as `kafka-topics --describe` shows it; empty where the broker has no ids.

    Raises TransientFailure if Kafka does not answer.
    """
    if not topics:
        return {}
    found = {}
    # The answers come as long as the client lives.
    admin = admin or client.admin()
    with client.answers():
        for topic, described in admin.describe_topics(TopicCollection([*topics]), request_timeout=SECONDS).items():
            try:
                found[topic] = _text(described.result(timeout=SECONDS))
            except KafkaException as failure:
                if failure.args[0].code() != KafkaError.UNKNOWN_TOPIC_OR_PART:
                    raise
    return found


def _text(described: TopicDescription) -> str:
    own: Any = described.topic_id
    halves = own.get_most_significant_bits(), own.get_least_significant_bits()
    # Brokers before 2.8, and some that only speak Kafka's protocol, answer with zeros.
    if not any(halves):
        return ""
    return base64.urlsafe_b64encode(b"".join(half.to_bytes(8, "big", signed=True) for half in halves)).decode()[:22]
