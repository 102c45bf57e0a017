"""Where each target is: what it has got, since when it fails, and which mail is under way.

Data flow: positions, dead letters -> one Kafka transaction: `notify-state` (compacted, by target) and `notify-dead-letters`
Run: daybreak notify list

Positions are in a topic of their own: offsets of a consumer group are deleted when it rests for a week, and name no topic's id. A
dead letter and the position behind it are one transaction, so none is lost or doubled. Kafka fences off an older process of the
same target, whose last transaction is rolled back: so the state is read after that.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from confluent_kafka import KafkaException

from infra.failpoints import point
from infra.failures import TransientFailure
from infra.kafka import client, compacted
from infra.kafka.read_committed import committed, partitions
from infra.kafka.transactions import publisher, transaction
from infra.settings import Settings
from streaming.notify.letters import Letter
from streaming.notify.targets import Target

SECONDS = 20
LETTER = {"message.max.bytes": 1_040_000}
"""A dead letter is longer than its record, of which Kafka's clients write a million bytes; a broker takes 1,048,588."""


@dataclass
class Progress:
    """A target's own. `positions`: partition -> id of its topic, next offset. `failing`: lane -> since when (epoch seconds), and
    why. `sending`: partition -> first and next offset of a mail that is under way."""

    positions: dict[str, tuple[str, int]] = field(default_factory=dict)
    failing: dict[str, tuple[float, str]] = field(default_factory=dict)
    sending: dict[str, tuple[int, int]] = field(default_factory=dict)

    def written(self) -> bytes:
        """As the topic has it."""
        own = {"positions": self.positions, "failing": self.failing, "sending": self.sending}
        return json.dumps(own, ensure_ascii=False).encode()


def progress(target: Target, kept: dict[str, dict[str, Any]]) -> Progress:
    """A target's progress in what `read` found; one that has none yet is at its start."""
    own = kept.get(target.id)
    if own is None:
        return Progress(dict(target.start))
    lists: list[dict[str, Any]] = [
        {key: tuple(value) for key, value in own[name].items()} for name in ("positions", "failing", "sending")
    ]
    return Progress(*lists)


def create(s: Settings) -> None:
    """Create the missing topics. Raises as `infra.kafka.compacted.create`."""
    compacted.create({s.notify_state_topic: 1, s.dead_letters_topic: 1}, "DAYBREAK_NOTIFY_TOPIC")


def read(s: Settings) -> dict[str, dict[str, Any]]:
    """What is kept of each target, by its id; empty without the topic. Raises TransientFailure if Kafka does not answer."""
    if not partitions(s.notify_state_topic):
        return {}
    kept = {(record.key() or b"").decode(): record.value() for record in committed(s.notify_state_topic)}
    return {key: json.loads(value) for key, value in kept.items() if value}


class State:
    """The only writer of a target's progress. It blocks, one call at a time. Raises TransientFailure if Kafka does not answer."""

    def __init__(self, s: Settings, target: Target) -> None:
        self._settings, self._key = s, target.id.encode()
        with client.answers():
            self._producer = publisher(f"notify-{target.id}", s.bucket, SECONDS, LETTER)
        self.progress = progress(target, read(s))

    def save(self, written: bytes, letters: Iterable[Letter] = ()) -> None:
        """Put a progress in the log, with the letters that it is behind."""
        point("notify.before-save")
        try:
            with transaction(self._producer, SECONDS):
                for letter in letters:
                    self._producer.produce(
                        self._settings.dead_letters_topic, letter.body, letter.key, headers=letter.headers, partition=0
                    )
                self._producer.produce(self._settings.notify_state_topic, written, self._key, partition=0)
        except KafkaException as failure:
            raise TransientFailure(
                f"Kafka at {self._settings.kafka_bootstrap} did not take what was delivered: {failure.args[0].str()}; what "
                "was delivered since is sent again, with the same id. If another process sends too (its transactions are "
                "fenced off), stop it: only one may"
            ) from failure
