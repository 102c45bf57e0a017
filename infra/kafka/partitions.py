"""The state of every partition that a consumer group reads, from Kafka.

Data flow: group's offsets, log ends, retention, first unread record -> Partition
Run: daybreak lag
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from confluent_kafka import Consumer, ConsumerGroupTopicPartitions, KafkaError, KafkaException
from confluent_kafka.admin import AdminClient, ConfigResource, ResourceType  # type: ignore[attr-defined]

from infra.failures import PermanentFailure
from infra.kafka import client, first_records
from infra.kafka.ends import bounds, open_transactions
from infra.kafka.places import At, Ends
from infra.settings import Settings

ANSWER_SECONDS = 10
READING: client.Options = {
    **first_records.READING,
    # What an open transaction holds back is lag too.
    "isolation.level": "read_uncommitted",
}


@dataclass(frozen=True)
class Partition:
    """One partition of the log, and how far the group has come in it.

    `start` and `end` of the log are half-open. `stable` is where readers of committed records stop: before `end` if a
    transaction is open, since `open_since`, the broker's time of its first record (of the first, if there are several);
    None if there is none. `committed` is None if the group has no offset of the partition yet. `first_unread`
    is the broker's time of the first remaining record at or after `committed`, None if there is none. `retention` is
    how long the topic keeps a record, None if for ever.
    """

    topic: str
    partition: int
    start: int
    end: int
    committed: int | None
    first_unread: datetime | None
    retention: timedelta | None
    stable: int
    open_since: datetime | None = None


def partitions(s: Settings) -> list[Partition]:
    """Every partition of every topic that the group `consumer_group` has offsets of, by topic and number.

    Raises:
        PermanentFailure: there is no such group yet.
        TransientFailure: Kafka does not answer.
    """
    admin = client.admin()
    with client.consumer("lag", READING) as consumer:
        if not (committed := in_group(admin, s.consumer_group)):
            raise PermanentFailure(
                f"the consumer group {s.consumer_group!r} has no offsets in Kafka: the stream publishes them after its "
                "first micro-batch (is it running? daybreak status)"
            )
        there = consumer.list_topics(timeout=ANSWER_SECONDS).topics
        topics = sorted({topic for topic, _ in committed} & there.keys())
        kept = {topic: _retention(admin, topic) for topic in topics}
        every = [(topic, number) for topic in topics for number in sorted(there[topic].partitions)]
        ends = {at: bounds(consumer, at, ANSWER_SECONDS) for at in every}
        unread = {at: max(committed.get(at, start), start) for at, (start, _) in ends.items()}
        times = _times(consumer, {at: offset for at, offset in unread.items() if offset < ends[at][1]})
        opened = open_transactions(admin, every)
        since = _times(consumer, {at: one.stable for at, one in opened.items()})
        return [
            Partition(
                *at,
                *ends[at],
                committed.get(at),
                times.get(at),
                kept[at[0]],
                opened[at].stable if at in opened else ends[at][1],
                since.get(at),
            )
            for at in every
        ]


def unread_since(position: Mapping[At, int], topics: Iterable[str]) -> datetime | None:
    """The broker's time of the oldest committed record at or behind a position; None if all is read. A partition that the
    position does not name is unread from its beginning. Raises TransientFailure if Kafka does not answer."""
    with client.consumer("unread", {**first_records.READING, "isolation.level": "read_committed"}) as consumer:
        # Lists all topics: a broker may create a topic that a client asks for by name.
        there = consumer.list_topics(timeout=ANSWER_SECONDS).topics
        every = [(topic, number) for topic in topics if topic in there for number in there[topic].partitions]
        ends = {at: bounds(consumer, at, ANSWER_SECONDS) for at in every}
        unread = {at: max(position.get(at, low), low) for at, (low, _) in ends.items()}
        times = _times(consumer, {at: offset for at, offset in unread.items() if offset < ends[at][1]})
    return min(times.values(), default=None)


def in_group(admin: AdminClient, group: str) -> Ends:
    """The offsets that a consumer group has committed; none if there is no such group."""
    answer = admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)], request_timeout=ANSWER_SECONDS)
    try:
        found = answer[group].result().topic_partitions
    except KafkaException as failure:
        if failure.args[0].code() != KafkaError.GROUP_ID_NOT_FOUND:
            raise
        found = []
    return {(at.topic, at.partition): at.offset for at in found if at.offset >= 0}


def _retention(admin: AdminClient, topic: str) -> timedelta | None:
    resource = ConfigResource(ResourceType.TOPIC, topic)
    config = admin.describe_configs([resource], request_timeout=ANSWER_SECONDS)[resource].result()
    milliseconds = int(config["retention.ms"].value)
    is_limited = milliseconds >= 0 and "delete" in config["cleanup.policy"].value
    return timedelta(milliseconds=milliseconds) if is_limited else None


def _times(consumer: Consumer, places: dict[At, int]) -> dict[At, datetime]:
    """The broker's time of the first record at or after each offset; partitions without one are left out."""
    return {at: one.arrival for at, one in first_records.first_records(consumer, places, ANSWER_SECONDS).items()}
