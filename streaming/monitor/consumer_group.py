"""Publish the stream's offsets as those of a consumer group, where Kafka's tools look for them.

Data flow: committed micro-batches of the ingest -> offsets of the group `consumer_group` in Kafka
Run: daybreak lag

The group is for monitoring only. The stream resumes from its checkpoint and never from the group's offsets, so a group
that was changed by hand or deleted changes no row.
"""

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaException, TopicPartition

from infra import logs
from infra.kafka import client
from infra.lake.upkeep import Daily
from infra.settings import settings
from streaming.positions.checkpoint import SourceOffsets

ANSWER_SECONDS = 5
"""How long to wait for Kafka's answer; publishing is optional for the stream."""


class Published:
    """Writes the group's offsets through Kafka's admin API; the stream is not a member of the group.

    A group without members accepts offsets from any client. So a long micro-batch cannot lose a membership, and the
    call has a timeout, which a consumer's synchronous commit lacks.
    """

    def __init__(self) -> None:
        self._group = settings().consumer_group
        self._admin = client.admin()
        self._published: SourceOffsets = {}
        self._daily = Daily()
        self._is_troubled = False

    def publish(self, ends: SourceOffsets) -> None:
        """Write `ends` as the group's offsets if they have changed; once a day even if they have not.

        Kafka deletes the offsets of a group without members after a week (`offsets.retention.minutes`). A failure does
        not stop the stream: it is logged once, and the next call tries again.
        """
        if not settings().publishes:
            return
        if self._daily.due():
            self._published = {}
        if not ends or ends == self._published:
            return
        try:
            self._alter(ends)
        except KafkaException as failure:
            if not self._is_troubled:
                _warn(f"offsets cannot be published to group {self._group!r} for now: {failure.args[0].str()}")
            self._is_troubled = True
            # A client whose broker died in the middle of an answer waits for it for ever: use a new client.
            self._admin = client.admin()
            return
        if self._is_troubled:
            _warn(f"offsets are published to group {self._group!r} again")
        self._is_troubled = False
        self._published = ends

    def _alter(self, ends: SourceOffsets) -> None:
        offsets = [
            TopicPartition(topic, int(partition), end)
            for topic, partitions in ends.items()
            for partition, end in partitions.items()
        ]
        request = ConsumerGroupTopicPartitions(self._group, offsets)
        answer = self._admin.alter_consumer_group_offsets([request], request_timeout=ANSWER_SECONDS)
        for written in answer[self._group].result().topic_partitions:
            if written.error:
                raise KafkaException(written.error)


def _warn(what: str) -> None:
    logs.line(what, "daybreak stream")
