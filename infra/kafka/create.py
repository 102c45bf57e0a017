"""Topics are created, whoever else creates them at the same time.

Data flow: names, partitions, configurations -> Kafka topics
Run: python -m streaming
"""

from collections.abc import Collection

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]

from infra.failures import PermanentFailure
from infra.kafka import client

SECONDS = 20


def create(admin: AdminClient, new: Collection[NewTopic]) -> None:
    """Create topics; one that is there already stays as it is.

    Raises PermanentFailure for one that Kafka refuses, TransientFailure if Kafka does not answer within SECONDS.
    """
    with client.answers():
        for topic, answer in (admin.create_topics([*new]) if new else {}).items():
            try:
                answer.result(timeout=SECONDS)
            except KafkaException as failure:
                error = failure.args[0]
                if error.code() == KafkaError.TOPIC_ALREADY_EXISTS:
                    continue
                # Those of librdkafka itself, that a broker is not reached, have numbers below zero.
                if error.retriable() or error.code() < 0:
                    raise
                raise PermanentFailure(f"topic {topic!r} cannot be created: {error.str()}") from failure
