"""The two ends of a partition: of its log, and of what is decided. Between them a transaction is open.

Data flow: Kafka's offsets by isolation -> partitions that wait for a transaction
Run: pytest tests/infra/test_ends.py

Readers of committed records, as the stream and the night are, are shown nothing behind the first record of an open
transaction, of whoever it is. So the end that they see is not the end of the log.
"""

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from confluent_kafka import Consumer, IsolationLevel, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec  # type: ignore[attr-defined]

from infra.kafka import client
from infra.kafka.places import At, Ends

ANSWER_SECONDS, AGAIN_SECONDS = 20, 0.2
MOVING = (
    KafkaError.OFFSET_NOT_AVAILABLE,
    KafkaError.LEADER_NOT_AVAILABLE,
    KafkaError.NOT_LEADER_FOR_PARTITION,
    KafkaError.FENCED_LEADER_EPOCH,
    KafkaError.UNKNOWN_LEADER_EPOCH,
    # What librdkafka calls a partition that has no leader now.
    KafkaError._UNKNOWN_PARTITION,
    # What it says of a question to a broker that the others no longer count.
    KafkaError._DESTROY_BROKER,
)
"""What a partition answers whose leader has just died, until another one leads and knows how far the replicas are."""


@dataclass(frozen=True)
class Open:
    """A partition: committed readers stop at `stable`, before the first open transaction; the log ends at `end` (offsets)."""

    stable: int
    end: int

    @property
    def size(self) -> int:
        """Offsets that wait."""
        return self.end - self.stable


def open_transactions(admin: AdminClient, places: Collection[At]) -> dict[At, Open]:
    """The partitions in which a transaction is open now. Raises TransientFailure if Kafka does not answer."""
    return opened(both_ends(admin, places))


def both_ends(admin: AdminClient, places: Collection[At]) -> dict[At, Open]:
    """The two ends of each partition. Raises TransientFailure if Kafka does not answer."""
    # In this order: a transaction that ends in between is not taken for an open one.
    end = ends(admin, places, IsolationLevel.READ_UNCOMMITTED)
    stable = ends(admin, places, IsolationLevel.READ_COMMITTED)
    return {at: Open(stable[at], end[at]) for at in sorted(places)}


def opened(found: Mapping[At, Open]) -> dict[At, Open]:
    """Those of them in which a transaction is open."""
    return {at: one for at, one in found.items() if one.size > 0}


def ends(admin: AdminClient, places: Collection[At], isolation: IsolationLevel) -> Ends:
    """One past the last offset of each partition, as readers of this isolation see it; one request for each broker.

    A partition that changes its leader is asked again. Raises TransientFailure if Kafka does not answer.
    """
    latest = OffsetSpec.latest()  # type: ignore[no-untyped-call]
    asked = {TopicPartition(*at): latest for at in places}
    if not asked:
        return {}
    give_up = time.monotonic() + ANSWER_SECONDS
    with client.answers():
        while True:
            answers = admin.list_offsets(asked, isolation_level=isolation, request_timeout=ANSWER_SECONDS)
            try:
                return {(at.topic, at.partition): answer.result().offset for at, answer in answers.items()}
            except KafkaException as failure:
                if failure.args[0].code() not in MOVING or time.monotonic() > give_up:
                    raise
            time.sleep(AGAIN_SECONDS)


def bounds(consumer: Consumer, at: At, seconds: float = ANSWER_SECONDS) -> tuple[int, int]:
    """First offset and end of one partition; one that changes its leader is asked again. Raises KafkaException."""
    give_up = time.monotonic() + seconds
    while True:
        try:
            low, high = consumer.get_watermark_offsets(TopicPartition(*at), timeout=seconds)
            return low, high
        except KafkaException as failure:
            if failure.args[0].code() not in MOVING or time.monotonic() > give_up:
                raise
        time.sleep(AGAIN_SECONDS)
