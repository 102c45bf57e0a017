"""Send bytes to Kafka, and track the outcome of every record.

Data flow: (topic, key, value) -> idempotent producer -> the log; delivery reports -> counts and ledger
Run: daybreak send orders events.jsonl
"""

import sys
from collections import Counter
from collections.abc import Collection
from functools import partial
from types import TracebackType

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from infra.failures import PermanentFailure
from infra.kafka import client
from infra.kafka.delivery_log import ACKED, Ledger
from infra.settings import settings

POLL_EVERY = 200
"""Sends between two polls for delivery reports: rare enough to be cheap, often enough to keep the queue short."""

FLUSH_SECONDS = 1.0
"""A flush looks so often whether its login was refused."""

Headers = list[tuple[str, str | bytes | None]]


def require_topics(topics: Collection[str]) -> None:
    """Raise unless the broker answers (TransientFailure) and has all `topics` (PermanentFailure). Creates nothing."""
    with client.answers():
        # Lists all topics: a broker may create a topic that a client asks for by name.
        there = client.admin().list_topics(timeout=10).topics
    missing = sorted(set(topics) - there.keys())
    if missing:
        raise PermanentFailure(
            f"no topic {', '.join(missing)} in Kafka: the stream creates the topics of its contracts when it starts "
            f"(there are: {', '.join(sorted(topic for topic in there if not topic.startswith('__'))) or 'none'})"
        )


class Sender:
    """A context manager around one idempotent producer (acks=all); leaving it waits for every delivery report.

    `acked` and `rejected` count records per topic and per (topic, error). A rejected record does not stop the others.
    """

    def __init__(self, topics: Collection[str], ledger: Ledger | None = None) -> None:
        self.acked: Counter[str] = Counter()
        self.rejected: Counter[tuple[str, str]] = Counter()
        self._ledger = ledger
        self._sent = 0
        self._told = False
        self._refused = False
        require_topics(topics)
        self._producer = Producer(
            {
                # A record may wait this long for a broker that restarts.
                "message.timeout.ms": "300000",
                # The partition that Kafka's own Java clients would choose.
                "partitioner": "murmur2_random",
                "queue.buffering.max.messages": "100000",
                "linger.ms": "5",
                "error_cb": self._trouble,
            }
            | client.options()
            | {"enable.idempotence": "true", "acks": "all"}
        )

    def send(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        event_id: str | None = None,
        headers: Headers | None = None,
        kind: str | None = None,
    ) -> None:
        """Queue one record; waits while the queue is full. A `value` of None is a tombstone; the ledger gets `kind`."""
        report = partial(self._delivered, topic, key, value, event_id, kind)
        while True:
            try:
                self._producer.produce(topic, value=value, key=key, on_delivery=report, headers=headers or [])
                break
            except BufferError:
                self.poll(0.5)
            except KafkaException as refused:
                self._delivered(topic, key, value, event_id, kind, refused.args[0], None)
                break
        self._sent += 1
        if self._sent % POLL_EVERY == 0:
            self.poll()

    def _trouble(self, error: KafkaError) -> None:
        # Within this call the client must not be asked for anything.
        self._refused |= error.code() == KafkaError._AUTHENTICATION
        if error.code() == KafkaError._ALL_BROKERS_DOWN and not self._told:
            print(
                f"Kafka at {settings().kafka_bootstrap} does not answer; records wait up to 5 minutes", file=sys.stderr
            )
            self._told = True

    def poll(self, seconds: float = 0.0) -> None:
        """Wait up to `seconds` for delivery reports. If the password is refused, there may be another one by now."""
        self._producer.poll(seconds)
        if self._refused:
            self._refused = False
            client.log_in_afresh(self._producer)

    def flush(self) -> None:
        """Wait until the broker has answered for every record sent so far."""
        while self._producer.flush(FLUSH_SECONDS):
            self.poll()

    def _delivered(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        event_id: str | None,
        kind: str | None,
        error: KafkaError | None,
        message: Message | None,
    ) -> None:
        if error is None and message is not None:
            self.acked[topic] += 1
            partition, offset, outcome = message.partition() or 0, message.offset() or 0, ACKED
        else:
            assert error is not None
            partition, offset, outcome = -1, -1, error.name()
            self.rejected[topic, outcome] += 1
        if self._ledger is not None:
            self._ledger.write(event_id, topic, partition, offset, outcome, kind, key, value)

    def __enter__(self) -> "Sender":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.flush()
