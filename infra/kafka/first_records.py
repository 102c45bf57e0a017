"""The first record at or after an offset of each partition, of all partitions at once: one at a time, each takes half a second.

Data flow: places in the log -> offset and arrival of what stands there
Run: daybreak lag
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from infra.kafka.client import Options
from infra.kafka.places import At

SECONDS = 20
READING: Options = {
    # Behind the last record of a partition there is none to wait for.
    "enable.partition.eof": "true",
    "auto.offset.reset": "earliest",
    # One record of each is wanted, and not what else the broker could send in advance.
    "queued.min.messages": 1,
    "fetch.message.max.bytes": 65_536,
}
"""What the consumer needs."""
NONE = (KafkaError._PARTITION_EOF, KafkaError._BAD_COMPRESSION, KafkaError._BAD_MSG)
"""There is no record, or none that librdkafka can unpack: of Zstandard it takes 100 MB, and Kafka's own client reads on."""


@dataclass(frozen=True)
class Found:
    """A record's offset, and the broker's time of it."""

    offset: int
    arrival: datetime


def first_records(consumer: Consumer, places: Mapping[At, int], seconds: float = SECONDS) -> dict[At, Found]:
    """The first record at or after each offset; partitions without one, or whose record cannot be
    unpacked here, are left out. Raises KafkaException."""
    waiting = set(places)
    found: dict[At, Found] = {}
    asked = [TopicPartition(*at, offset) for at, offset in places.items()]
    consumer.assign(asked)
    # A partition that was paused once is still paused when it is assigned again.
    consumer.resume(asked)
    while waiting:
        message = consumer.poll(seconds)
        if message is None:
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT))
        at, error = (str(message.topic()), int(message.partition() or 0)), message.error()
        if error and error.code() not in NONE:
            raise KafkaException(error)
        if at in waiting and not error:
            arrival = datetime.fromtimestamp(message.timestamp()[1] / 1000, UTC)
            found[at] = Found(int(message.offset() or 0), arrival)
        waiting.discard(at)
        consumer.pause([TopicPartition(*at)])
    consumer.unassign()
    return found
