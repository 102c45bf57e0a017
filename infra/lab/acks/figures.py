"""The figures of one producer: what was acknowledged and is not in the log, what is there twice, or behind a later one.

Data flow: Sent, the log's records -> Figures
Run: daybreak lab acks
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from infra.failures import TransientFailure
from infra.kafka.client import Options
from infra.lab.acks.producer import Sent
from infra.lab.direct.figures import percentile
from infra.lab.processes.message import Numbered

LOOK_SECONDS, SILENCE_SECONDS = 0.1, 60


@dataclass(frozen=True)
class Figures:
    """Orders sent and `acknowledged`; of these those `lost`. Of the log: orders `doubled`, and `out_of_order` (first copies that
    stand behind one with a higher number). Milliseconds until the acknowledgement, None if there was none; bytes on all disks."""

    sent: int
    acknowledged: int
    lost: int
    doubled: int
    out_of_order: int
    p50_ms: float | None
    p99_ms: float | None
    bytes: int


def figures(sent: Sent, log: Sequence[int], size: int) -> Figures:
    """Count; `log` are the numbers in the log, in its order. Raises ValueError for a number that nobody sent."""
    seen: set[int] = set()
    twice: set[int] = set()
    highest, behind = -1, 0
    for number in log:
        if not 0 <= number < sent.count:
            raise ValueError(f"order {number} is in the log, and nobody sent it")
        if number in seen:
            twice.add(number)
            continue
        seen.add(number)
        behind += number < highest
        highest = max(highest, number)
    waits = list(sent.acknowledged.values())
    return Figures(
        sent=sent.count,
        acknowledged=len(waits),
        lost=len(sent.acknowledged.keys() - seen),
        doubled=len(twice),
        out_of_order=behind,
        p50_ms=percentile(waits, 0.5),
        p99_ms=percentile(waits, 0.99),
        bytes=size,
    )


def in_log(wire: Options, topic: str, settle_seconds: float = 0.0) -> list[int]:
    """The numbers in a topic's only partition, from its beginning to an end behind which nothing came for `settle_seconds`.

    Raises TransientFailure if it is not answered.
    """
    own: Options = {"group.id": "lab", "enable.auto.commit": False, "enable.partition.eof": True}
    consumer = Consumer({**wire, **own})
    try:
        consumer.assign([TopicPartition(topic, 0, 0)])
        return list(_numbers(consumer, settle_seconds))
    except KafkaException as failure:
        raise TransientFailure(f"the lab's log cannot be read: {failure.args[0].str()}") from failure
    finally:
        consumer.close()


def _numbers(consumer: Consumer, settle_seconds: float) -> Iterator[int]:
    heard, is_at_end = time.monotonic(), False
    while True:
        # It returns when it has so many, or after that time.
        for message in consumer.consume(1000, LOOK_SECONDS):
            error = message.error()
            if error is not None and error.code() != KafkaError._PARTITION_EOF:
                raise KafkaException(error)
            heard, is_at_end = time.monotonic(), error is not None
            if error is None:
                yield Numbered.read(message.value() or b"").number
        silent = time.monotonic() - heard
        if is_at_end and silent >= settle_seconds:
            return
        if silent > SILENCE_SECONDS:
            raise TransientFailure(f"the lab's log gave neither a record nor its end for {SILENCE_SECONDS} s")
