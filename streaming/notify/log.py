"""The topics that are sent, as each target reads them: committed records, from its own position on.

Data flow: Kafka `alerts`, `corrections` -> partitions with the ids of their topics; a consumer per target
Run: daybreak notify list
"""

import time
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from confluent_kafka import Consumer, IsolationLevel, KafkaError, KafkaException, Message, TopicPartition
from confluent_kafka.admin import AdminClient

from infra.failures import TransientFailure
from infra.kafka import client
from infra.kafka.ends import ends
from infra.kafka.places import At
from infra.kafka.topic_ids import topic_ids
from infra.settings import Settings
from streaming.notify.targets import topics_of

SILENCE_SECONDS = 30
READING: client.Options = {
    "isolation.level": "read_committed",
    "enable.partition.eof": "true",
    "fetch.wait.max.ms": "100",
    # What is read ahead for a receiver that is away.
    "queued.max.messages.kbytes": "1024",
    # What compaction or a person removed is not asked for again: the next record is.
    "auto.offset.reset": "earliest",
}


Positions = Mapping[str, tuple[str, int]]
"""Partition, as `name/number` -> id of its topic, next offset."""


class Place(NamedTuple):
    """A partition of what is sent: `name` is that of `topics_of`; `topic_id` tells a topic that was made again."""

    name: str
    topic: str
    number: int
    topic_id: str

    @property
    def text(self) -> str:
        """As positions name it."""
        return f"{self.name}/{self.number}"

    @property
    def at(self) -> At:
        """As Kafka's clients name it."""
        return self.topic, self.number


def places(s: Settings, admin: AdminClient, names: Iterable[str]) -> list[Place]:
    """The partitions that there are now. Raises TransientFailure if Kafka does not answer."""
    topics = topics_of(s)
    with client.answers():
        # Lists all topics: a broker may create a topic that a client asks for by name.
        there = admin.list_topics(timeout=20).topics
    wanted = {name: topics[name] for name in names if topics[name] in there}
    ids = topic_ids([*wanted.values()], admin)
    return [
        Place(name, topic, number, ids.get(topic, ""))
        for name, topic in wanted.items()
        for number in sorted(there[topic].partitions)
    ]


def newest(admin: AdminClient, there: Iterable[Place]) -> dict[str, tuple[str, int]]:
    """Behind all that is in the log now, as the position of a target."""
    own = [*there]
    found = ends(admin, [one.at for one in own], IsolationLevel.READ_COMMITTED)
    return {one.text: (one.topic_id, found[one.at]) for one in own}


def begins(place: Place, positions: Positions) -> int:
    """The first offset that is not delivered; 0 if the topic has been made again since, or is new."""
    topic_id, offset = positions.get(place.text, (place.topic_id, 0))
    return offset if topic_id == place.topic_id else 0


def waiting(admin: AdminClient, there: Iterable[Place], positions: Positions) -> dict[At, tuple[int, int]]:
    """Position and end of the partitions that a target has not got to the end of."""
    own = [*there]
    found = newest(admin, own)
    both = {one.at: (begins(one, positions), found[one.text][1]) for one in own}
    return {at: (first, end) for at, (first, end) in both.items() if first < end}


def good(message: Message) -> bool:
    """Is it a record? False for the end of a partition. Raises KafkaException for what is neither."""
    error = message.error()
    if error is not None and error.code() != KafkaError._PARTITION_EOF:
        raise KafkaException(error)
    return error is None


def still_there(heard: float, is_heard: bool) -> float:
    """When something was heard of Kafka last, in a loop that waits for an end. Raises TransientFailure if that is long ago."""
    now = time.monotonic()
    if is_heard:
        return now
    if now - heard > SILENCE_SECONDS:
        raise TransientFailure(f"Kafka has given neither records nor their end for {SILENCE_SECONDS} s")
    return heard


def add(consumer: Consumer, there: Iterable[Place], positions: Positions) -> None:
    """Read these partitions too, from the positions on."""
    own = [TopicPartition(*one.at, begins(one, positions)) for one in there]
    if own:
        consumer.incremental_assign(own)
