"""Orders over Kafka, beside the direct ways: the log stands between producer and consumers, and keeps.

Data flow: messages -> a lab topic of one partition -> a consumer group per consumer -> work, then its offset
Run: daybreak lab direct

The producer answers for an order when the broker has acknowledged it. A consumer commits its offset behind its work
(at-least-once), and assigns its partition itself, so that a successor starts at once.
"""

import time
from collections.abc import Callable
from functools import partial

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

from infra.lab.transports.transport import CONNECT_SECONDS, POLL_SECONDS, Taken, Wire, Work

COMMIT_SECONDS = 0.1
"""A consumer commits so often while it works: a commit for each order would be more work for the broker than the order."""

AGAIN_SECONDS = 3
"""How long a consumer may hear nothing at its start; most hear within a second."""


class LogSender:
    """A producer that waits for all replicas, and sends each order at once."""

    def __init__(self, wire: Wire, taken: Taken) -> None:
        self._taken, self._topic = taken, wire.topic
        own: dict[str, str | int | float | bool] = {"enable.idempotence": "true", "acks": "all", "linger.ms": 0}
        self._producer = Producer(wire.options | own)

    def wait_for(self, consumers: int) -> None:
        """Nothing: consumers may come later. The topic's metadata are fetched, as a connection is opened elsewhere."""
        self._producer.list_topics(self._topic, CONNECT_SECONDS)

    def send(self, number: int, message: bytes) -> None:
        """Put the order into the client's queue; it is taken when the broker says so."""
        self._producer.produce(self._topic, message, partition=0, on_delivery=partial(self._delivered, number))
        self._producer.poll(0)

    def flush(self) -> None:
        """Wait for the broker's answers. Raises KafkaException if they do not come."""
        if self._producer.flush(CONNECT_SECONDS):
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT))

    def _delivered(self, number: int, error: KafkaError | None, _: Message) -> None:
        if error is not None:
            raise KafkaException(error)
        self._taken(number)


class LogReceiver:
    """A consumer in a group of its own, so that each consumer gets every order."""

    def __init__(self, wire: Wire, consumer: int, first: int) -> None:
        own: dict[str, str | int | float | bool] = {
            "group.id": f"{wire.topic}-{consumer}",
            "enable.auto.commit": "false",
            "auto.offset.reset": "earliest",
            "enable.partition.eof": "true",
        }
        if wire.high_water is not None:
            # Else the client fetches ahead of the work what its memory holds: 100,000 records, or 64 MB.
            own["queued.min.messages"] = wire.high_water
        self._consumer, self._came = reading(wire.options | own, wire.topic)
        self._uncommitted: Message | None = None
        self._committed = time.monotonic()

    def run(self, work: Work, leaving: Callable[[], bool]) -> None:
        """Work, and commit behind the work. Raises KafkaException if the broker fails for CONNECT_SECONDS."""
        answered = time.monotonic()
        while not leaving():
            message, self._came = self._came or self._consumer.poll(POLL_SECONDS), None
            if message is None or _is_answer(message):
                answered = time.monotonic()
            elif time.monotonic() - answered > CONNECT_SECONDS:
                # Until then the client tries again by itself.
                raise KafkaException(message.error())
            if message is not None and message.error() is None:
                work(message.value() or b"")
                self._uncommitted = message
            if time.monotonic() - self._committed > COMMIT_SECONDS:
                self._commit()
        self._commit()
        self._consumer.close()

    def _commit(self) -> None:
        if self._uncommitted is not None:
            self._consumer.commit(message=self._uncommitted, asynchronous=False)
        self._uncommitted, self._committed = None, time.monotonic()


def reading(
    options: dict[str, str | int | float | bool], topic: str, partition: int = 0
) -> tuple[Consumer, Message | None]:
    """A consumer that reads, and the first answer: an order, or that there is none yet (so with `enable.partition.eof`).

    Raises KafkaException without one.

    librdkafka 2.16 never hears who its coordinator is if it drops the connection to its bootstrap server before the answer, as a
    young broker makes it do: such a consumer is given up, and another one made.
    """
    error = KafkaError(KafkaError._TIMED_OUT)
    give_up = time.monotonic() + CONNECT_SECONDS
    while time.monotonic() < give_up:
        consumer = Consumer(options)
        consumer.assign([TopicPartition(topic, partition)])
        again = time.monotonic() + AGAIN_SECONDS
        while time.monotonic() < again:
            message = consumer.poll(POLL_SECONDS)
            if message is not None and _is_answer(message):
                return consumer, message
            error = (message.error() if message else None) or error
        consumer.close()
    raise KafkaException(error)


def _is_answer(message: Message) -> bool:
    """Is it a record, or the end of the partition, and not an error?"""
    error = message.error()
    return error is None or error.code() == KafkaError._PARTITION_EOF
