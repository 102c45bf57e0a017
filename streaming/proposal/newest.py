"""The newest records of a topic of one's own Kafka.

Data flow: Kafka topic -> keys and values of its newest committed records
Run: daybreak new mine --from-topic readings
"""

import time

from confluent_kafka import KafkaError, KafkaException, TopicPartition

from infra.failures import PermanentFailure
from infra.kafka import client
from infra.kafka.ends import bounds
from infra.kafka.read_committed import READING, SILENCE_SECONDS, partitions

MOST_RECORDS, MOST_BYTES = 10_000, 64 * 1024 * 1024
Pair = tuple[bytes | None, bytes | None]


def newest(topic: str, most: int = MOST_RECORDS, most_bytes: int = MOST_BYTES) -> list[Pair]:
    """At most so many records, equally many of each partition, and of these no more than fit in so many bytes.

    Raises PermanentFailure if there is no such topic, TransientFailure if Kafka does not answer.
    """
    numbers = partitions(topic)
    if not numbers:
        raise PermanentFailure(f"there is no topic {topic} in Kafka at {client.options()['bootstrap.servers']}")
    each, found, size = max(1, most // len(numbers)), list[Pair](), 0
    with client.consumer("new", READING | {"isolation.level": "read_committed"}) as consumer:
        consumer.list_topics(timeout=20)
        starts = []
        for number in numbers:
            low, high = bounds(consumer, (topic, number))
            starts.append(TopicPartition(topic, number, max(low, high - each)))
        consumer.assign(starts)
        left, heard = set(numbers), time.monotonic()
        while left and len(found) < most and size < most_bytes:
            message = consumer.poll(0.5)
            if message is None:
                if time.monotonic() - heard > SILENCE_SECONDS:
                    raise KafkaException(KafkaError(KafkaError._TIMED_OUT))
                continue
            heard = time.monotonic()
            if failure := message.error():
                if failure.code() != KafkaError._PARTITION_EOF:
                    raise KafkaException(failure)
                left.discard(message.partition() or 0)
                continue
            key, value = message.key(), message.value()
            found.append((key, value))
            size += len(key or b"") + len(value or b"")
    return found
