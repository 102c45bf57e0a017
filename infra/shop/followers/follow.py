"""Keep a follower at the end of its topics: read committed records, apply them, and say how far it is.

Data flow: topics, from the follower's position on -> Follower; `<home>/run/follower-<name>.json`
Run: python -m infra.shop.followers index
"""

import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, TopicPartition

from infra.failures import PermanentFailure, TransientFailure
from infra.kafka import client
from infra.settings import Settings
from infra.shop.followers.follower import Beside, Follower, Place, Position, Record, System
from infra.shop.followers.lag import say

BATCH = 500
LOOK_SECONDS = 0.2
SAY_SECONDS = 1.0
OPTIONS = {
    "isolation.level": "read_committed",
    "enable.partition.eof": "true",
    "fetch.wait.max.ms": "50",
    # A position that the log does not have is told, not skipped.
    "auto.offset.reset": "error",
}


def follow(s: Settings, system: System, is_over: Callable[[], bool]) -> None:
    """Follow until it is over. Raises TransientFailure if Kafka does not answer, or the data is not where it was left."""
    follower, topics = system.opened(s), system.topics(s)
    committed = follower.position()
    position, assigned = dict(committed), set[Place]()
    applied, said, moved = 0, float("-inf"), time.time()
    with client.consumer(system.program, OPTIONS) as consumer:
        while not is_over():
            if time.monotonic() - said > SAY_SECONDS:
                # Its server may have died, and lost what it had.
                if follower.position() != committed:
                    raise TransientFailure(
                        f"the {system.name} is not where its follower left it, which begins anew from there"
                    )
                # Connect makes a table's topic with its first change, the night that of the corrections.
                if (there := places(consumer, topics)) != assigned:
                    assign(consumer, there, position)
                    assigned = there
                say(s, system, position, applied, moved)
                said = time.monotonic()
            if not assigned:
                time.sleep(LOOK_SECONDS)
                continue
            records, _ = read(consumer, position, system)
            # Marks of transactions move the position too.
            if records or position != committed:
                follower.apply(records, position)
                applied, committed, moved = applied + len(records), dict(position), time.time()


def places(consumer: Consumer, topics: Iterable[str]) -> set[Place]:
    """The partitions that these topics have now."""
    # Lists all topics: a broker may create a topic that a client asks for by name.
    known = consumer.list_topics(timeout=20).topics
    return {(topic, number) for topic in topics if topic in known for number in known[topic].partitions}


def assign(consumer: Consumer, there: Iterable[Place], position: Position) -> None:
    """Read these partitions from the position on; one that it does not name, from its beginning."""
    consumer.assign([TopicPartition(*place, position.get(place, OFFSET_BEGINNING)) for place in sorted(there)])


def read(consumer: Consumer, position: Position, system: System) -> tuple[list[Record], set[Place]]:
    """Some records, with `position` moved behind them; and the partitions of which the end was reached."""
    found, ended = [], set()
    for message in consumer.consume(BATCH, LOOK_SECONDS):
        error, offset = message.error(), message.offset() or 0
        place = (message.topic() or "", message.partition() or 0)
        if error is None:
            position[place] = offset + 1
            found.append(Record(place[0], message.value(), message.key(), message.timestamp()[1], offset))
        elif error.code() == KafkaError._PARTITION_EOF:
            # Behind the last record may be the marks of transactions.
            position[place] = max(position.get(place, 0), offset)
            ended.add(place)
        elif error.code() == KafkaError._AUTO_OFFSET_RESET:
            raise PermanentFailure(
                f"the log of {place[0]} no longer has the position of the {system.name}: "
                f"daybreak follower rebuild {system.name}"
            )
        else:
            raise KafkaException(error)
    return found, ended


def rebuild(s: Settings, system: System, stands_still: Callable[[], AbstractContextManager[None]]) -> int:
    """Build the data anew from the whole log while the old one goes on, and put it in its place; how many records it read.

    Data that is not built beside the old one is built while the follower does nothing.
    `stands_still`: a block in which it does. Raises TransientFailure if Kafka does not answer.
    """
    if not isinstance(system.anew, Beside):
        with stands_still():
            return system.anew(s)
    fresh = system.anew.fresh(s)
    try:
        applied = _to_the_end(s, system, fresh)
        # What has come since is behind its position, from where the follower goes on.
        fresh.close()
        with stands_still():
            system.anew.swapped(s, fresh)
    except BaseException:
        # Half of it takes room that the other one needs.
        fresh.discard()
        raise
    return applied


def _to_the_end(s: Settings, system: System, fresh: Follower) -> int:
    applied = 0
    with client.consumer(f"{system.program}-rebuild", OPTIONS | {"auto.offset.reset": "earliest"}) as consumer:
        left, position = places(consumer, system.topics(s)), Position()
        assign(consumer, left, position)
        while left:
            records, ended = read(consumer, position, system)
            left -= ended
            if records or not left:
                fresh.apply(records, position)
                applied += len(records)
    return applied
