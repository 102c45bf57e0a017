"""The consumer of the delivery lab: one program with three orders of its two steps, which kills itself where it is told to.

Data flow: Job on standard input; a topic -> the same records in another topic (the effect), and the group's offsets
Run: daybreak lab delivery

The two steps for a batch are to write it and to commit its offsets. If the consumer dies between them, its successor
starts at the committed offsets. So whichever step comes first decides what a death does; in a transaction both come at once.

It assigns its partitions itself: a successor starts at once, and need not wait until the group has missed the dead one.
"""

import json
import os
import signal
import sys
import time
from dataclasses import asdict, dataclass
from enum import StrEnum

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

from infra.lab.kills import BATCH, Kill, Place

SECONDS = 60
"""How long the broker may give no answer before the consumer ends with an error."""


class Mode(StrEnum):
    """How often a record has its effect if the consumer may die."""

    AT_MOST_ONCE = "at-most-once"
    AT_LEAST_ONCE = "at-least-once"
    EXACTLY_ONCE = "exactly-once"


@dataclass(frozen=True)
class Job:
    """One life of a consumer: it ends at its kill, or at the end of the log if `kill` is None."""

    options: dict[str, str | int | float | bool]
    mode: Mode
    source: str
    target: str
    partitions: int
    kill: Kill | None

    def text(self) -> str:
        """The job as one line of JSON; it may hold passwords, so it is not for the command line."""
        return json.dumps(asdict(self))

    @staticmethod
    def read(text: str) -> "Job":
        """The job that `text()` wrote."""
        job = json.loads(text)
        kill = job["kill"] and Kill(**job["kill"] | {"place": Place(job["kill"]["place"])})
        return Job(**job | {"mode": Mode(job["mode"]), "kill": kill})


class Life:
    """A consumer and a producer that do one job. Raises KafkaException if the broker does not do its part."""

    def __init__(self, job: Job) -> None:
        self._job = job
        own: dict[str, str | int | float | bool] = {"enable.idempotence": "true", "acks": "all", "linger.ms": 0}
        if job.mode is Mode.EXACTLY_ONCE:
            own |= {"transactional.id": job.target, "transaction.timeout.ms": SECONDS * 1000}
        self._producer = Producer(job.options | own)
        if job.mode is Mode.EXACTLY_ONCE:
            # First of all: it fences the dead predecessor and rolls its transaction back, so the offsets are stable.
            self._producer.init_transactions(SECONDS)
        reading = {
            "group.id": job.target,
            "enable.auto.commit": "false",
            "auto.offset.reset": "earliest",
            "isolation.level": "read_committed",
            "enable.partition.eof": "true",
        }
        self._consumer = Consumer(job.options | reading)
        self._consumer.assign([TopicPartition(job.source, number) for number in range(job.partitions)])
        self._unread = set(range(job.partitions))
        self._kill: Kill | None = None

    def live(self) -> None:
        """Handle batch after batch."""
        number = 0
        while batch := self._read():
            number += 1
            self._kill = self._job.kill if self._job.kill and self._job.kill.batch == number else None
            self._die_at(Place.READ)
            self._handle(batch)
            self._die_at(Place.DONE)
        self._consumer.close()

    def _handle(self, batch: list[Message]) -> None:
        ends: dict[int, int] = {}
        for record in batch:
            ends[record.partition() or 0] = (record.offset() or 0) + 1
        offsets = [TopicPartition(self._job.source, number, end) for number, end in ends.items()]
        match self._job.mode:
            case Mode.AT_MOST_ONCE:
                self._consumer.commit(offsets=offsets, asynchronous=False)
                self._die_at(Place.BETWEEN)
                self._write(batch)
            case Mode.AT_LEAST_ONCE:
                self._write(batch)
                self._die_at(Place.BETWEEN)
                self._consumer.commit(offsets=offsets, asynchronous=False)
            case Mode.EXACTLY_ONCE:
                self._producer.begin_transaction()
                self._write(batch)
                self._producer.send_offsets_to_transaction(offsets, self._consumer.consumer_group_metadata(), SECONDS)
                self._die_at(Place.BETWEEN)
                self._producer.commit_transaction(SECONDS)

    def _read(self) -> list[Message]:
        """BATCH records; fewer at the end of every partition, and none behind it."""
        records: list[Message] = []
        give_up = time.monotonic() + SECONDS
        last = KafkaError(KafkaError._TIMED_OUT)
        while self._unread and len(records) < BATCH:
            for message in self._consumer.consume(BATCH - len(records), 1.0):
                if (error := message.error()) is None:
                    records.append(message)
                elif error.code() == KafkaError._PARTITION_EOF:
                    self._unread.discard(message.partition() or 0)
                else:
                    # For example no coordinator yet: the client tries again by itself.
                    last = error
            if time.monotonic() > give_up:
                raise KafkaException(last)
        return records

    def _write(self, batch: list[Message]) -> None:
        for number, record in enumerate(batch):
            if self._kill and number == min(self._kill.written, len(batch) - 1):
                self._producer.flush(SECONDS)
                self._die_at(Place.WRITING)
            self._producer.produce(self._job.target, record.value(), on_delivery=_delivered)
        if self._producer.flush(SECONDS):
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT))

    def _die_at(self, place: Place) -> None:
        if self._kill and self._kill.place is place:
            os.kill(os.getpid(), signal.SIGKILL)


def _delivered(error: KafkaError | None, _: Message) -> None:
    if error is not None:
        raise KafkaException(error)


if __name__ == "__main__":
    Life(Job.read(sys.stdin.readline())).live()
