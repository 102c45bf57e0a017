"""The compaction lab: what a log keeps per key, how a snapshot shortens it, and what a late consumer is told.

Data flow: updates and deletions of keys -> a topic that keeps all, a compacted one, a snapshot -> states rebuilt, and compared
Run: daybreak lab compaction

The same updates go to a topic that keeps all of them and to a compacted one. The broker compacts only closed segments, so the
topic closes them after half a second, and a last record, MARKER, opens a new one.
"""

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from confluent_kafka import KafkaError, TopicPartition

from infra.failures import TransientFailure
from infra.kafka import client
from infra.kafka.read_committed import written
from infra.lab.topics import SECONDS, send, topics
from infra.settings import Settings

KEYS = 50
SEGMENT_MS = 500
COMPACTED = {
    "cleanup.policy": "compact",
    "segment.ms": str(SEGMENT_MS),
    "min.cleanable.dirty.ratio": "0.01",
    "min.compaction.lag.ms": "0",
    # Tombstones stay as long as the lab looks at them.
    "delete.retention.ms": "3600000",
}
MARKER = "marker"
WAIT_SECONDS = 120
"""The broker looks for something to compact every 15 seconds, unless it is set up otherwise."""

WHOLE, SNAPSHOT, COMPACT = "the whole log", "a snapshot and the log behind it", "the compacted topic"
"""What a state is rebuilt from."""

Update = tuple[str, str | None]
"""A key and its new value; None deletes it (a tombstone)."""
State = dict[str, str]


@dataclass(frozen=True)
class Rebuilt:
    """A state rebuilt from records: how many were read, how many of them were tombstones, and the keys that came out."""

    what: str
    records: int
    tombstones: int
    state: State


@dataclass(frozen=True)
class Late:
    """A consumer whose next offset was deleted: where it wanted to go on, what the broker said, and the first offset left."""

    wanted: int
    said: str
    first_left: int

    @property
    def missed(self) -> int:
        """Records that it will never read."""
        return self.first_left - self.wanted


def updates(count: int, seed: int) -> list[Update]:
    """Updates of KEYS keys, each with a value of its own; one in ten deletes its key."""
    chance = random.Random(seed)
    return [
        (f"key-{chance.randrange(KEYS):02}", None if chance.random() < 0.1 else str(number)) for number in range(count)
    ]


def state_of(records: Sequence[Update], before: State | None = None) -> State:
    """The newest value of each key that was not deleted last."""
    state = dict(before or {})
    for key, value in records:
        if value is None:
            state.pop(key, None)
        else:
            state[key] = value
    return state


def measure(s: Settings, count: int, seed: int) -> tuple[list[Rebuilt], Late]:
    """Run it. Raises TransientFailure if Kafka fails, or does not compact within WAIT_SECONDS."""
    own, names = updates(count, seed), ["all", "compacted", "snapshot"]
    middle = count // 2
    with (
        topics("compaction", names, 1, s.kafka_replication, {"compacted": COMPACTED}) as (whole, compacted, snapshot),
        client.answers(),
    ):
        _send(whole, own)
        _send(compacted, own)
        # The active segment is never compacted: this opens a new one.
        time.sleep(2 * SEGMENT_MS / 1000)
        _send(compacted, [(MARKER, "1")])
        found = [_rebuilt(WHOLE, list(_records(whole)))]
        _send(snapshot, list(state_of(own[:middle]).items()))
        _delete_before(whole, middle)
        found.append(_rebuilt(SNAPSHOT, [*_records(snapshot), *_records(whole)]))
        found.append(_rebuilt(COMPACT, _when_compacted(compacted)))
        return found, _too_late(whole, middle)


def _rebuilt(what: str, records: Sequence[Update]) -> Rebuilt:
    return Rebuilt(what, len(records), sum(value is None for _, value in records), state_of(records))


def _when_compacted(topic: str) -> list[Update]:
    """The topic's records once each key has one, without MARKER."""
    give_up = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < give_up:
        records = [one for one in _records(topic) if one[0] != MARKER]
        if len(records) == len({key for key, _ in records}):
            return records
        time.sleep(1)
    raise TransientFailure(f"Kafka did not compact the lab's topic within {WAIT_SECONDS} s")


def _records(topic: str) -> Iterator[Update]:
    for record in written(topic):
        value = record.value()
        yield (record.key() or b"").decode(), value if value is None else value.decode()


def _send(topic: str, records: Sequence[Update]) -> None:
    send(topic, [(0, key, value) for key, value in records])


def _delete_before(topic: str, offset: int) -> None:
    """What retention does when the records are old enough."""
    # Named, because an admin client that is collected as garbage never answers.
    admin = client.admin()
    (done,) = admin.delete_records([TopicPartition(topic, 0, offset)]).values()
    done.result(SECONDS)


def _too_late(topic: str, first_left: int) -> Late:
    """A consumer that goes on at offset 0, and asks to be told if that is gone."""
    with client.consumer("lab", {"auto.offset.reset": "error"}) as consumer:
        consumer.assign([TopicPartition(topic, 0, 0)])
        give_up = time.monotonic() + SECONDS
        while time.monotonic() < give_up:
            message = consumer.poll(0.5)
            error = message.error() if message else None
            if error and error.code() == KafkaError._AUTO_OFFSET_RESET:
                low, _ = consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=SECONDS)
                return Late(0, error.name(), low)
            if message and not error:
                return Late(0, f"nothing: it reads on at {message.offset()}", first_left)
    raise TransientFailure(f"Kafka did not tell the lab's consumer within {SECONDS} s that its offset is gone")
