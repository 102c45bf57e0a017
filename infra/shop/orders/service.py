"""The order service: reads commands, decides, and writes answers and events; exactly once, whatever dies when.

Data flow: topic `commands` -> one Kafka transaction: `answers`, `orders`, `payments`, and the offsets of the commands
Run: python -m infra.shop.orders
Source: KIP-98, consume-transform-produce; fencing by a transactional id.

One thread is the only writer of all orders, so it needs no lock. A second instance that starts fences this one off: Kafka refuses
its next transaction. Whatever goes wrong, the process ends, and its next start restores the state from what was committed.
"""

import faulthandler
import json
import os
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

from infra import logs
from infra.failures import PermanentFailure, TransientFailure
from infra.kafka import client, compacted
from infra.kafka.ends import bounds
from infra.kafka.read_committed import partitions
from infra.kafka.transactions import publisher, transaction
from infra.page.write import put
from infra.settings import Settings
from infra.shop.orders import snapshot
from infra.shop.orders.answers import Record, answer
from infra.shop.orders.commands import TOPIC
from infra.shop.orders.restore import LOG, behind

GROUP = "daybreak-order-service"
BATCH = 500
LOOK_SECONDS = 0.05
SECONDS = 30.0
"""Longest wait for Kafka, and the timeout of a transaction."""
OFFSETS_SECONDS = 15.0
"""Of three brokers another one coordinates after 9 s. Beyond this and STUCK_MORE the call is stuck: see `_say`."""
STUCK_MORE = 5.0
STUCK_SECONDS = 3 * SECONDS
"""A step that takes longer than all its waits is stuck in the client: the process ends, with where it stood in its log."""
SAVE_SECONDS, SAVE_CHANGES = 10.0, 5_000
"""A snapshot is written when it is this old, or lacks so many changes."""
OPTIONS = {
    "group.id": GROUP,
    "isolation.level": "read_committed",
    "fetch.wait.max.ms": "20",
    "auto.offset.reset": "error",
}


def status_file(s: Settings) -> Path:
    """Where the service says how far it is."""
    return s.home / "run" / "order-service.json"


class Service:
    """An instance that has restored its state. Raises TransientFailure if Kafka does not answer or has no commands yet."""

    def __init__(self, s: Settings) -> None:
        self._status_file, self.name = status_file(s), f"{os.getpid()} {uuid4()}"
        if not (numbers := partitions(TOPIC)) or not all(map(partitions, LOG)):
            raise TransientFailure(
                f"Kafka has no topic {TOPIC}: the stream makes it when it starts with the option order-service"
            )
        compacted.create({snapshot.TOPIC: 1}, "no setting: it has a fixed name")
        faulthandler.dump_traceback_later(STUCK_SECONDS, exit=True)
        with client.answers():
            # From here on an older instance cannot commit, and what it left open is rolled back: so read after this.
            self._producer: Producer = publisher("order-service", s.bucket, SECONDS)
            # At once: one that fails before its first snapshot must not take its dead predecessor for its successor.
            with transaction(self._producer, SECONDS):
                self._produce(snapshot.TOPIC, snapshot.INSTANCE.encode(), self.name.encode())
        # What is restored may take long, and reads on while something comes.
        faulthandler.cancel_dump_traceback_later()
        self.state, self._position = snapshot.read()
        behind(self.state, self._position.log)
        self.outcomes: Counter[str] = Counter()
        self._saved_at, self._said_at, self._moved = 0.0, 0.0, time.time()
        self._offsets = {number: self._position.commands.get(number, 0) for number in numbers}

    def run(self, is_over: Callable[[], bool]) -> None:
        """Answer commands until it is over. Raises PermanentFailure if another instance has taken over."""
        with client.consumer("order-service", OPTIONS) as consumer:
            try:
                self._say()
                self._start(consumer)
                self._save(consumer)
                while not is_over():
                    self.step(consumer)
                self._save(consumer)
            except KafkaException as failure:
                self._ended(failure)
            finally:
                faulthandler.cancel_dump_traceback_later()

    def step(self, consumer: Consumer) -> None:
        """Answer what is there, in one transaction; write a snapshot when it is due."""
        messages = _good(consumer.consume(BATCH, LOOK_SECONDS))
        if messages:
            with transaction(self._producer, SECONDS):
                for message in messages:
                    self._answer(message)
                self._send_offsets(consumer)
            self._moved = time.time()
        if time.monotonic() - self._saved_at > SAVE_SECONDS or self.state.changes > SAVE_CHANGES:
            self._save(consumer)
        if time.monotonic() - self._said_at > 1:
            self._say()

    def _start(self, consumer: Consumer) -> None:
        """Go on behind the last command that was answered: Kafka has committed its offset with the answer."""
        places = [TopicPartition(TOPIC, number) for number in self._offsets]
        for place in consumer.committed(places, SECONDS):
            # A group at rest loses its offsets after a week; then the snapshot's are used: what is known is not answered again.
            if place.offset >= 0:
                self._offsets[place.partition] = place.offset
        for number, offset in self._offsets.items():
            low, high = bounds(consumer, (TOPIC, number), SECONDS)
            if offset > high:
                raise PermanentFailure(
                    f"the log of {TOPIC} ends before what was answered: it was made anew. {START_ANEW}"
                )
            if offset < low:
                self.outcomes["deleted before they were answered"] += low - offset
                gone = f"{low - offset:,} commands of {TOPIC}-{number} were deleted by age before they were answered"
                logs.line(gone, "daybreak orders")
            self._offsets[number] = max(offset, low)
        consumer.assign([TopicPartition(TOPIC, number, offset) for number, offset in self._offsets.items()])

    def _answer(self, message: Message) -> None:
        records, reason = answer(self.state, message)
        self.outcomes[reason or ("accepted" if records else "sent again")] += 1
        for record in records:
            self._produce(record.topic, record.key, record.value, record)
        self._offsets[message.partition() or 0] = (message.offset() or 0) + 1

    def _produce(self, topic: str, key: bytes, value: bytes | None, record: Record | None = None) -> None:
        while True:
            try:
                self._producer.produce(topic, value, key, headers=record.headers if record else [])
                return
            except BufferError:
                self._producer.poll(0.5)

    def _send_offsets(self, consumer: Consumer) -> None:
        offsets = [TopicPartition(TOPIC, number, offset) for number, offset in self._offsets.items()]
        faulthandler.dump_traceback_later(OFFSETS_SECONDS + STUCK_MORE, exit=True)
        self._producer.send_offsets_to_transaction(offsets, consumer.consumer_group_metadata(), OFFSETS_SECONDS)
        faulthandler.dump_traceback_later(STUCK_SECONDS, exit=True)

    def _save(self, consumer: Consumer) -> None:
        """Write what has changed. Nothing of ours is open now, so the log's ends are behind all that the state knows."""
        self.state.forget(time.time_ns() // 1_000_000)
        ends = {
            topic: {number: bounds(consumer, (topic, number), SECONDS)[1] for number in partitions(topic)}
            for topic in LOG
        }
        position = snapshot.Position(self._offsets, ends, self.state.number, self.state.newest_ms)
        with transaction(self._producer, SECONDS):
            for key, value in snapshot.changed(self.state):
                self._produce(snapshot.TOPIC, key, value)
            self._produce(snapshot.TOPIC, snapshot.POSITION.encode(), position.written())
        snapshot.saved(self.state)
        self._saved_at = time.monotonic()

    def _say(self) -> None:
        """Write the status file; from here on the next one must come in time.

        Without a limit of its own `send_offsets_to_transaction` may never return after a broker's death: librdkafka does not keep
        that call's timeout (its issue 5456). It was seen once in 200 deaths of an only broker under load, and in one of three
        where another broker takes over; so that call has a shorter limit, in `_send_offsets`.
        """
        faulthandler.dump_traceback_later(STUCK_SECONDS, exit=True)
        self._said_at = time.monotonic()
        own = {"pid": os.getpid(), "at": time.time(), "moved": self._moved}
        text = {**own, "offsets": self._offsets, "outcomes": self.outcomes}
        put(self._status_file, json.dumps(text).encode())

    def _ended(self, failure: KafkaException) -> None:
        """Raise what the end means: another instance, or a Kafka that did not answer in time."""
        said = failure.args[0].str()
        with client.answers():
            newest = snapshot.instance()
        if newest and newest != self.name:
            raise PermanentFailure(
                f"another instance of the order service has started (process {newest.split(' ')[0]}) and took over; this one "
                "ends. Only one may run: stop the other one, then `daybreak up`"
            ) from failure
        raise TransientFailure(f"Kafka did not take a transaction of the order service: {said}") from failure


START_ANEW = "`daybreak order start-anew` starts from what the log still has"


def _good(messages: list[Message]) -> list[Message]:
    for message in messages:
        error = message.error()
        if error is not None and error.code() == KafkaError._AUTO_OFFSET_RESET:
            raise PermanentFailure(f"the log of {TOPIC} no longer has what follows the last answer. {START_ANEW}")
        if error is not None and error.fatal():
            raise KafkaException(error)
    return [message for message in messages if message.error() is None]
