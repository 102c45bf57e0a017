"""The values of single records, read past any JVM: librdkafka holds one once, where Spark's rows would hold it a dozen times.

Data flow: places in the log -> bytes
Run: pytest tests/infra/test_values.py
"""

from collections.abc import Collection

from confluent_kafka import KafkaException, TopicPartition

from infra.failures import TransientFailure
from infra.kafka import client
from infra.kafka.places import At

SECONDS = 60
READING: client.Options = {
    "isolation.level": "read_committed",
    # Of a batch that a producer packed well: its codec's own limit, and the most that librdkafka takes.
    "receive.message.max.bytes": (1 << 31) - 1,
    "queued.min.messages": 1,
}
Place = tuple[str, int, int]
"""Topic, partition, offset."""


def values_at(places: Collection[Place]) -> dict[Place, bytes | None]:
    """The value of the record at each of these places; None where it has none.

    Reads each partition from the first of its places to the last. Raises TransientFailure if one of them has no record, or if
    Kafka does not answer.
    """
    wanted, found = set(places), dict[Place, bytes | None]()
    first = dict[At, int]()
    for topic, partition, offset in sorted(wanted, reverse=True):
        first[topic, partition] = offset
    with client.consumer("values", READING) as consumer:
        consumer.assign([TopicPartition(*at, offset) for at, offset in first.items()])
        while wanted:
            message = consumer.poll(SECONDS)
            if message is None:
                raise TransientFailure(f"Kafka does not give the record at {_text(min(wanted))} within {SECONDS} s")
            if error := message.error():
                raise KafkaException(error)
            at = str(message.topic()), int(message.partition() or 0), int(message.offset() or 0)
            if at in wanted:
                found[at] = message.value()
                wanted.discard(at)
            elif passed := [one for one in wanted if one[:2] == at[:2] and one[2] < at[2]]:
                raise TransientFailure(f"Kafka has no record at {_text(min(passed))} any more")
    return found


def _text(place: Place) -> str:
    topic, partition, offset = place
    return f"{topic}-{partition}, offset {offset}"
