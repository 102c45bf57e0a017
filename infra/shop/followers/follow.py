"""Keep the search index at the end of the log: read committed changes, apply them, and say how far it is.

Data flow: topic `shop.public.products` from the index's position on -> ProductIndex; `<home>/run/follower-index.json`
Run: python -m infra.shop.followers
"""

import json
import os
import shutil
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Message, TopicPartition

from infra.failures import PermanentFailure, TransientFailure
from infra.kafka import client
from infra.kafka.read_committed import partitions
from infra.page.write import put
from infra.settings import Settings
from infra.shop.db.changes import changes, folded
from infra.shop.db.changes import read as in_value
from infra.shop.db.check import Rows
from infra.shop.db.connector import topic
from infra.shop.followers.product_index import TABLE, Position, ProductIndex

BATCH = 500
LOOK_SECONDS = 0.2
SAY_SECONDS = 1.0
CHECK_SECONDS = 120
OPTIONS = {
    "isolation.level": "read_committed",
    "enable.partition.eof": "true",
    "fetch.wait.max.ms": "50",
    # A position that the log does not have is told, not skipped.
    "auto.offset.reset": "error",
}


def folder(s: Settings) -> Path:
    """Where the index is."""
    return s.home / "followers" / "index"


def status_file(s: Settings) -> Path:
    """Where the follower says how far it is."""
    return s.home / "run" / "follower-index.json"


def follow(s: Settings, is_over: Callable[[], bool]) -> None:
    """Follow until it is over. Raises TransientFailure if Kafka does not answer."""
    index = ProductIndex.to_follow(folder(s))
    while not (there := partitions(topic(TABLE))):
        # The connector makes the topic with the first change.
        say(s, {}, 0)
        if is_over():
            return
        time.sleep(SAY_SECONDS)
    position = dict.fromkeys(there, 0) | index.position()
    applied, said, committed = 0, 0.0, dict(index.position())
    with client.consumer("follower-index", OPTIONS) as consumer:
        consumer.assign([TopicPartition(topic(TABLE), number, offset) for number, offset in position.items()])
        while not is_over():
            messages, _ = read(consumer, position)
            # Marks of transactions move the position too.
            if messages or position != committed:
                apply(index, messages, position)
                applied, committed = applied + len(messages), dict(position)
            if time.monotonic() - said > SAY_SECONDS:
                say(s, position, applied)
                said = time.monotonic()


def read(consumer: Consumer, position: Position) -> tuple[list[Message], set[int]]:
    """Some messages, with `position` moved behind them; and the partitions of which the end was reached."""
    found, ended = [], set()
    for message in consumer.consume(BATCH, LOOK_SECONDS):
        error, number, offset = message.error(), message.partition() or 0, message.offset() or 0
        if error is None:
            position[number] = offset + 1
            found.append(message)
        elif error.code() == KafkaError._PARTITION_EOF:
            # Behind the last message may be the marks of transactions.
            position[number] = max(position[number], offset)
            ended.add(number)
        elif error.code() == KafkaError._AUTO_OFFSET_RESET:
            raise PermanentFailure(
                f"the log of {topic(TABLE)} no longer has the position of the search index: daybreak follower rebuild index"
            )
        else:
            raise KafkaException(error)
    return found, ended


def apply(index: ProductIndex, messages: list[Message], position: Position) -> None:
    """Apply the changes among messages; what is no change of a row is quarantined by the stream, and passed over here."""
    found = (in_value(TABLE, message.value()) for message in messages)
    index.apply([one for one in found if one is not None], position)


def rebuild(s: Settings, swapped: Callable[[], AbstractContextManager[None]]) -> int:
    """Build the index anew from the whole log while the old one goes on, and put it in its place; how many changes it read.

    `swapped`: a block in which the follower stands still. Raises TransientFailure if Kafka does not answer.
    """
    fresh = folder(s).with_name("index.new")
    shutil.rmtree(fresh, ignore_errors=True)
    index, position = ProductIndex(fresh), dict.fromkeys(partitions(topic(TABLE)), 0)
    left, applied = set(position), 0
    with client.consumer("follower-rebuild", OPTIONS | {"auto.offset.reset": "earliest"}) as consumer:
        consumer.assign([TopicPartition(topic(TABLE), number, OFFSET_BEGINNING) for number in position])
        while left:
            messages, ended = read(consumer, position)
            left -= ended
            if messages or not left:
                apply(index, messages, position)
                applied += len(messages)
    # What has come since is behind its position, from where the follower goes on.
    index.close()
    with swapped():
        shutil.rmtree(folder(s), ignore_errors=True)
        fresh.rename(folder(s))
    return applied


def in_the_index(s: Settings) -> Callable[[str, int], Rows | None]:
    """For the checker: the rows of the index, once it has read all that Kafka holds now.

    An index has no past: keys that have changed behind the mark by then are told as the log has them in front of it.
    """

    def rows(table: str, lsn: int) -> Rows | None:
        if table != TABLE:
            return None
        index, give_up = ProductIndex(folder(s)), time.monotonic() + CHECK_SECONDS
        there = ends()
        while any(index.position().get(number, 0) < end for number, end in there.items()):
            if time.monotonic() > give_up:
                raise TransientFailure(
                    f"the search index has not caught up within {CHECK_SECONDS} s: daybreak follower lag"
                )
            time.sleep(LOOK_SECONDS)
        later = {one.key for one in changes(TABLE) if one.lsn >= lsn}
        before = folded(changes(TABLE), before=lsn)
        now = {key: row for key, row in index.rows().items() if key not in later}
        return now | {key: row for key, row in before.items() if key in later}

    return rows


def ends() -> Position:
    """One past the last offset of each partition of the log."""
    with client.consumer("follower-check") as consumer:
        places = [TopicPartition(topic(TABLE), number) for number in partitions(topic(TABLE))]
        return {place.partition: consumer.get_watermark_offsets(place, timeout=10)[1] for place in places}


def say(s: Settings, position: Position, applied: int) -> None:
    """Write the status file."""
    text = json.dumps({"pid": os.getpid(), "at": time.time(), "position": position, "applied": applied})
    put(status_file(s), text.encode())
