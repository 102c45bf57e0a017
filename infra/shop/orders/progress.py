"""How far the order service is: what has been sent to it and is not answered yet.

Data flow: ends of topic `commands`, offsets that the service has committed with its answers -> commands
Run: daybreak shop --days 1
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from confluent_kafka import Consumer, TopicPartition

from infra.failures import TransientFailure
from infra.kafka import client
from infra.kafka.ends import bounds
from infra.kafka.read_committed import partitions
from infra.shop.orders.commands import TOPIC
from infra.shop.orders.service import GROUP

SECONDS = 120.0
LOOK_SECONDS = 0.01
ANSWER_SECONDS = 20


class Progress:
    """Looks with one client, as often as one asks."""

    def __init__(self, consumer: Consumer) -> None:
        self._consumer = consumer
        self._places = [TopicPartition(TOPIC, number) for number in partitions(TOPIC)]

    def unanswered(self) -> int:
        """Commands in the log that no answer has been committed for."""
        done = {
            place.partition: max(place.offset, 0) for place in self._consumer.committed(self._places, ANSWER_SECONDS)
        }
        ends = {
            place.partition: bounds(self._consumer, (place.topic, place.partition), ANSWER_SECONDS)[1]
            for place in self._places
        }
        return sum(max(end - done[number], 0) for number, end in ends.items())

    def wait(self) -> None:
        """Until all is answered. Raises TransientFailure if that does not happen in time."""
        give_up = time.monotonic() + SECONDS
        while left := self.unanswered():
            if time.monotonic() > give_up:
                raise TransientFailure(
                    f"{left:,} commands are not answered within {SECONDS:.0f} s; they stay in the log: see `daybreak status`"
                )
            time.sleep(LOOK_SECONDS)


@contextmanager
def progress() -> Iterator[Progress]:
    """Of the service of this platform. Raises TransientFailure if Kafka does not answer."""
    with client.consumer("order-progress", {"group.id": GROUP, "isolation.level": "read_committed"}) as own:
        yield Progress(own)
