"""Dead letters: deliveries that were refused or given up, kept until they are sent again or dismissed.

Data flow: topic `notify-dead-letters` (compacted; a letter is settled by an empty record of its key) -> open letters
Run: daybreak notify dead-letters
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass

from confluent_kafka import OFFSET_BEGINNING, Consumer, Message, TopicPartition

from infra.failures import PermanentFailure
from infra.kafka import client
from infra.kafka.read_committed import READING, committed, partitions
from infra.kafka.send import Headers, Sender
from infra.settings import Settings
from streaming.notify.log import good, still_there
from streaming.notify.outcome import Delivery
from streaming.notify.targets import Target

MOST = 1_000
"""Open letters of a target. With so many nothing more is given up: what is wrong then is the receiver, and the log keeps what
waits, in order."""


@dataclass(frozen=True)
class Letter:
    """A delivery that a target (by id) did not get, and why."""

    target: str
    delivery: Delivery
    why: str

    @property
    def key(self) -> bytes:
        """Of its record, and of the empty one that settles it."""
        return f"{self.target}/{self.delivery.id}".encode()

    @property
    def body(self) -> bytes:
        """Of its record."""
        return self.delivery.body

    @property
    def headers(self) -> Headers:
        """Of its record."""
        return [("what", self.delivery.what), ("why", self.why.encode(errors="replace"))]


class Letters:
    """The open letters, followed: by id of their target, id of the delivery -> offset. `add` counts one that is being written."""

    def __init__(self, s: Settings, consumer: Consumer) -> None:
        self.open: dict[str, dict[str, int]] = {}
        self._consumer, self._at_end = consumer, False
        # A client that knows no leader yet waits half a second before it asks where a partition begins.
        consumer.list_topics(timeout=20)
        consumer.assign([TopicPartition(s.dead_letters_topic, 0, OFFSET_BEGINNING)])

    def look(self) -> None:
        """Read to the end of the log."""
        heard = time.monotonic()
        while True:
            messages = self._consumer.consume(500, 0.1)
            heard = still_there(heard, bool(messages))
            for message in messages:
                self._at_end = not good(message)
                if not self._at_end:
                    self._take(message)
            if self._at_end:
                return

    def room(self, target: Target) -> bool:
        """May another delivery of this target be given up?"""
        return len(self.open.get(target.id, {})) < MOST

    def add(self, letter: Letter) -> None:
        """It will be open."""
        self.open.setdefault(letter.target, {})[letter.delivery.id] = -1

    def _take(self, message: Message) -> None:
        target, _, delivery = (message.key() or b"").decode().partition("/")
        if message.value() is None:
            self.open.get(target, {}).pop(delivery, None)
        else:
            self.open.setdefault(target, {})[delivery] = message.offset() or 0


def open_letters(s: Settings) -> dict[str, dict[str, int]]:
    """The open letters now; none without the topic. Raises TransientFailure if Kafka does not answer."""
    if not partitions(s.dead_letters_topic):
        return {}
    with client.consumer("notify-dead-letters", READING | {"isolation.level": "read_committed"}) as consumer:
        letters = Letters(s, consumer)
        letters.look()
    return letters.open


def of(s: Settings, target: Target) -> Iterator[Letter]:
    """The open letters of a target, in the order in which they were given up; one at a time is in memory."""
    left = {offset: delivery for delivery, offset in open_letters(s).get(target.id, {}).items()}
    for message in committed(s.dead_letters_topic) if left else ():
        if delivery := left.pop(message.offset() or 0, None):
            own = {name: _text(value) for name, value in dict(message.headers() or []).items()}
            kept = Delivery(delivery, message.value() or b"", own.get("what", ""))
            yield Letter(target.id, kept, own.get("why", ""))
        if not left:
            return


def _text(value: str | bytes | None) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else value or ""


def settle(s: Settings, sender: Sender, letter: Letter) -> None:
    """It was sent, or nobody wants it. Raises PermanentFailure if Kafka did not take that."""
    sender.send(s.dead_letters_topic, letter.key, None)
    sender.flush()
    if sender.rejected:
        raise PermanentFailure(f"Kafka did not take that a dead letter is settled: {dict(sender.rejected)}")
