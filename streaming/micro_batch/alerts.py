"""Alerts: the new rows of some views, each sent exactly once to a Kafka topic, while the micro-batch is written.

Data flow: rows of views with `alerts` that a micro-batch wrote -> Kafka `alerts`, and the micro-batch's number in `alerts-state`
Run: daybreak alerts

Alerts and state are one Kafka transaction, so a consumer that reads committed records sees each alert once: a micro-batch that is
repeated after a crash finds its number in the state, and sends nothing. An alert that an on-time event undoes is withdrawn here;
one that a late event undoes is withdrawn by the night, as a correction.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
from confluent_kafka import KafkaException, Producer

from infra.failpoints import point
from infra.failures import TransientFailure
from infra.kafka import compacted
from infra.kafka.read_committed import committed, partitions
from infra.kafka.transactions import publisher, transaction
from infra.settings import settings
from streaming.views import VIEWS

ALERTING = tuple(view for view in VIEWS.values() if view.alerts)
"""The views whose new rows are alerts."""

SECONDS = 20
"""Longest wait for Kafka in a micro-batch, and the transaction's timeout."""

At = tuple[str, int]
"""Generation and number of a micro-batch. Generations sort by their start."""


class Alerts:
    """The publisher of the alerts. It connects with the first one."""

    def __init__(self, generation: str) -> None:
        self._generation = generation
        self._open: dict[str, set[str]] = {view.name: set() for view in ALERTING}
        self._producer: Producer | None = None
        self._sent: At | None = None

    def restore(self, rows: Mapping[str, pa.Table]) -> None:
        """Start from the open rows per view: the stream has written them before, so they are no news."""
        for view in ALERTING:
            self._open[view.name] = set(_keys(rows[view.name], view.key)) if view.name in rows else set()

    def send(self, rows: Mapping[str, pa.Table], batch_id: int, as_of: datetime) -> int:
        """Send what is new or withdrawn among the rows that a micro-batch wrote; returns the number of messages.

        Raises TransientFailure if Kafka does not take them: the micro-batch is repeated.
        """
        found = [
            message for view in ALERTING if view.name in rows for message in self._news(view.name, rows[view.name])
        ]
        if not found or not settings().publishes:
            return 0
        stamp = {"as_of": _instant(as_of), "generation": self._generation, "batch_id": batch_id}
        try:
            return self._transaction([(key, value | stamp) for key, value in found], (self._generation, batch_id))
        except KafkaException as failure:
            self._producer = None
            raise TransientFailure(
                f"Kafka at {settings().kafka_bootstrap} did not take {len(found)} alerts: {failure.args[0].str()}; the "
                "micro-batch is repeated"
            ) from failure

    def _news(self, name: str, rows: pa.Table) -> Iterator[tuple[str, dict[str, Any]]]:
        known, view = self._open[name], VIEWS[name]
        for key, row in zip(_keys(rows, view.key), rows.to_pylist(), strict=True):
            is_new = key not in known
            (known.discard if row["is_removed"] or row["is_final"] else known.add)(key)
            if row["is_removed"] or is_new:
                state = "withdrawn" if row["is_removed"] else "raised"
                values = {one.name: _instant(row[one.name]) for one in view.columns}
                # The topic is compacted: views with a key in common would undo each other's.
                yield f"{name}/{key}", {"view": name, "alert": state, **values}

    def _transaction(self, messages: list[tuple[str, dict[str, Any]]], at: At) -> int:
        producer = self._connected()
        if self._sent is not None and at <= self._sent:
            return 0
        s = settings()
        with transaction(producer, SECONDS):
            for key, value in messages:
                text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
                producer.produce(s.alerts_topic, key=key.encode(), value=text.encode())
            producer.produce(s.alerts_state_topic, key=s.bucket.encode(), value=json.dumps(at).encode(), partition=0)
        self._sent = at
        point("ingest.after-alerts")
        return len(messages)

    def _connected(self) -> Producer:
        if self._producer is None:
            s = settings()
            compacted.create({s.alerts_topic: s.topic_partitions, s.alerts_state_topic: 1}, "DAYBREAK_ALERTS_TOPIC")
            producer = publisher("alerts", s.bucket, SECONDS)
            self._sent, self._producer = last_sent(), producer
        return self._producer


def last_sent() -> At | None:
    """The newest micro-batch of this lake whose alerts were committed; None if there is none, or no topic."""
    s = settings()
    if not partitions(s.alerts_state_topic):
        return None
    own = [
        json.loads(record.value() or b"null")
        for record in committed(s.alerts_state_topic)
        if record.key() == s.bucket.encode()
    ]
    return max(((generation, batch_id) for generation, batch_id in filter(None, own)), default=None)


def _keys(rows: pa.Table, key: tuple[str, ...]) -> list[str]:
    """Each row's key as one text: the value of a key of one column, and of more columns a JSON array, which tells them apart."""
    found = rows.select(list(key)).to_pylist()
    if len(key) == 1:
        return [str(row[key[0]]) for row in found]
    return [json.dumps([row[name] for name in key], ensure_ascii=False, default=str) for row in found]


def _instant(value: Any) -> Any:
    """A time as text, in UTC; any other value as it is."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return value
