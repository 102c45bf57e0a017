"""What Kafka holds now: the bounds of every partition of the contracts' topics, and when a record came.

Data flow: Kafka's watermark offsets -> Log
Run: python -m streaming; python -m batch archive --date 2026-01-31
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from confluent_kafka import Consumer, KafkaException, TopicPartition

from infra.failures import TransientFailure
from infra.settings import settings
from streaming.contracts import CONTRACTS

TIMEOUT_SECONDS = 20

Ends = dict[tuple[str, int], int]
"""One past the last offset, per topic and partition."""


@dataclass(frozen=True)
class Log:
    """What Kafka holds now: the first offset still there and one past the last, per topic and partition."""

    first: Ends
    end: Ends


def log_now() -> Log:
    """The log's present bounds for every contract's topic. Raises TransientFailure if Kafka does not answer."""
    first: Ends = {}
    end: Ends = {}
    with _consumer() as consumer:
        for topic in CONTRACTS:
            described = consumer.list_topics(topic, timeout=TIMEOUT_SECONDS).topics[topic]
            if described.error is not None:
                raise TransientFailure(f"topic {topic!r} does not exist yet: is the stream running?")
            for partition in described.partitions:
                bounds = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=TIMEOUT_SECONDS)
                first[topic, partition], end[topic, partition] = bounds
    return Log(first, end)


def arrivals(at: Mapping[tuple[str, int], int]) -> dict[tuple[str, int], datetime]:
    """When the broker took the first record at or after an offset, per partition; none where no record comes."""
    found = {}
    with _consumer() as consumer:
        for (topic, partition), offset in at.items():
            consumer.assign([TopicPartition(topic, partition, offset)])
            message = consumer.poll(TIMEOUT_SECONDS)
            if message is not None and message.error() is None:
                found[topic, partition] = datetime.fromtimestamp(message.timestamp()[1] / 1000, UTC)
    return found


@contextmanager
def _consumer() -> Iterator[Consumer]:
    s = settings()
    consumer = Consumer({"bootstrap.servers": s.kafka_bootstrap, "group.id": "daybreak-log", **s.kafka_client})
    try:
        yield consumer
    except KafkaException as failure:
        raise TransientFailure(f"Kafka at {s.kafka_bootstrap} does not answer: {failure.args[0].str()}") from failure
    finally:
        consumer.close()
