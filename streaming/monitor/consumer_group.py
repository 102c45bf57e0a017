"""The stream's offsets where Kafka's tools look for them: as those of a consumer group.

Data flow: committed micro-batches of the ingest -> offsets of the group `consumer_group` in Kafka
Run: daybreak lag

For looking only. The stream starts where its checkpoint says (DESIGN rule 2); nothing of ours takes an offset from here,
so a group that was changed by hand, or that is gone, changes no row.
"""

import sys

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaException, TopicPartition

from infra.kafka import client
from infra.lake.upkeep import Daily
from infra.settings import settings
from streaming.checkpoint import SourceOffsets

ANSWER_SECONDS = 5
"""How long the stream's watch waits for Kafka's answer; it can do without."""


class Published:
    """The offsets of the group. The stream is no member of it: it only writes the group's offsets, as an administrator does.

    A group without members takes them from anybody, so there is no membership to lose in a long micro-batch, and the
    wait for the answer has a limit, which a consumer's synchronous commit has not.
    """

    def __init__(self) -> None:
        self._group = settings().consumer_group
        self._admin = client.admin()
        self._published: SourceOffsets = {}
        self._daily = Daily()
        self._is_troubled = False

    def publish(self, ends: SourceOffsets) -> None:
        """Make `ends` the group's offsets, if they are others than before; once a day also if they are not.

        Kafka forgets the offsets of a group without members after a week (`offsets.retention.minutes`). A failure does not
        stop the stream: it is told once, and tried again at the next call.
        """
        if self._daily.due():
            self._published = {}
        if not ends or ends == self._published:
            return
        try:
            self._alter(ends)
        except KafkaException as failure:
            if not self._is_troubled:
                _warn(f"its offsets cannot be published to group {self._group!r} for now: {failure.args[0].str()}")
            self._is_troubled = True
            # A client whose broker died in the middle of an answer waits for that broker's answer for good.
            self._admin = client.admin()
            return
        if self._is_troubled:
            _warn(f"its offsets are published to group {self._group!r} again")
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
    print(f"daybreak stream: {what}", file=sys.stderr, flush=True)
