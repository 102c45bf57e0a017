"""A topic's committed records: what a consumer sees that leaves out open and undone transactions.

Data flow: Kafka topic, from its beginning -> records, to its end or for ever
Run: daybreak corrections
"""

import time
from collections.abc import Iterator

from confluent_kafka import OFFSET_BEGINNING, KafkaError, KafkaException, Message, TopicPartition

from infra.failures import TransientFailure
from infra.kafka import client

SILENCE_SECONDS = 30
"""A partition that gives neither a record nor its end for so long belongs to a broker that is away."""

READING = {
    "isolation.level": "read_committed",
    "enable.partition.eof": "true",
    # The broker answers that there is no more after so long; its default is half a second.
    "fetch.wait.max.ms": "50",
}


def partitions(topic: str) -> tuple[int, ...]:
    """The topic's partitions; none if there is no such topic. Raises TransientFailure if Kafka does not answer."""
    with client.answers():
        # Asked for all topics: a broker may create one that is asked for by name.
        there = client.admin().list_topics(timeout=20).topics
        return tuple(sorted(there[topic].partitions)) if topic in there else ()


def committed(topic: str, follow: bool = False) -> Iterator[Message]:
    """The records in the order of each partition, and then new ones if `follow`.

    Nothing is joined and no offset is committed, so every call starts at the beginning.

    Raises:
        TransientFailure: Kafka does not answer, or has no such topic.
    """
    numbers = partitions(topic)
    if not numbers:
        raise TransientFailure(f"no topic {topic!r} in Kafka")
    with client.consumer("corrections", READING) as consumer:
        consumer.assign([TopicPartition(topic, number, OFFSET_BEGINNING) for number in numbers])
        left = set(numbers)
        heard = time.monotonic()
        while left or follow:
            message = consumer.poll(0.5)
            if message is None:
                if left and time.monotonic() - heard > SILENCE_SECONDS:
                    raise KafkaException(KafkaError(KafkaError._TIMED_OUT))
                continue
            heard = time.monotonic()
            error = message.error()
            if error is None:
                yield message
            elif error.code() == KafkaError._PARTITION_EOF:
                # The client says it by its position: the last offsets are markers of transactions, never messages.
                left.discard(message.partition() or 0)
            else:
                raise KafkaException(error)
