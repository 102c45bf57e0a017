"""Read a topic's committed records, without those of open or aborted transactions.

Data flow: Kafka topic, from its beginning -> records, to its end or for ever
Run: daybreak corrections
"""

import time
from collections.abc import Iterator

from confluent_kafka import OFFSET_BEGINNING, KafkaError, KafkaException, Message, TopicPartition

from infra.failures import TransientFailure
from infra.kafka import client

SILENCE_SECONDS = 30
"""If a partition gives neither a record nor its end for this long, its broker counts as unreachable."""

READING = {
    "enable.partition.eof": "true",
    # How long the broker waits for new records before it reports the end; the default is half a second.
    "fetch.wait.max.ms": "50",
}


def partitions(topic: str) -> tuple[int, ...]:
    """The topic's partitions; none if there is no such topic. Raises TransientFailure if Kafka does not answer."""
    with client.answers():
        # Lists all topics: a broker may create a topic that a client asks for by name.
        there = client.admin().list_topics(timeout=20).topics
        return tuple(sorted(there[topic].partitions)) if topic in there else ()


def committed(topic: str, follow: bool = False) -> Iterator[Message]:
    """The records in the order of each partition, and then new ones if `follow`.

    The consumer joins no group and commits no offset, so every call starts at the beginning.

    Raises:
        TransientFailure: Kafka does not answer, or has no such topic.
    """
    return _records(topic, "read_committed", follow)


def written(topic: str) -> Iterator[Message]:
    """All records in the log, those of open and aborted transactions too. Raises as `committed` does."""
    return _records(topic, "read_uncommitted")


def _records(topic: str, isolation: str, follow: bool = False) -> Iterator[Message]:
    numbers = partitions(topic)
    if not numbers:
        raise TransientFailure(f"no topic {topic!r} in Kafka")
    with client.consumer("corrections", READING | {"isolation.level": isolation}) as consumer:
        # A client that knows no leader yet waits half a second before it asks where a partition begins.
        consumer.list_topics(timeout=20)
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
                # Only this event marks the end: the last offsets may be transaction markers, which are never messages.
                left.discard(message.partition() or 0)
            else:
                raise KafkaException(error)
