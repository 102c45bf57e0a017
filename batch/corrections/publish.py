"""Publish: send every correction of the ledger exactly once to the Kafka topic for consumers.

Data flow: reconciliation/corrections, after the last published sequence -> Kafka `corrections` and `corrections-state`
Run: python -m batch publish

Publishing belongs to no day: it sends every correction after the sequence in the state topic, whichever night wrote it. It
runs after the first and the last step of a night. A retry of `correct` whose days are settled already only publishes.

The corrections and the state (the last sequence sent) are written in one Kafka transaction, so a consumer that reads
committed records sees each correction once, wherever the publisher dies.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Producer
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from batch.corrections import topics
from batch.corrections.ledger import CORRECTIONS
from batch.lineage import start as lineage
from infra.failpoints import point
from infra.failures import PermanentFailure, TransientFailure
from infra.kafka.read_committed import committed
from infra.kafka.topic_ids import topic_ids
from infra.kafka.transactions import publisher, transaction
from infra.lake import arrow_tables, spark_tables
from infra.settings import settings

BATCH = 5000
"""Corrections per transaction, which are in the driver's memory at a time; a row has about a kilobyte."""

SECONDS = 60
"""Longest wait for a transaction, in seconds, and its timeout in Kafka (transaction.timeout.ms)."""

FENCED = (KafkaError._FENCED, KafkaError.PRODUCER_FENCED, KafkaError.INVALID_PRODUCER_EPOCH)


def publish(session: SparkSession) -> int:
    """Send the corrections that are not in the topic yet, in the ledger's order; returns how many were sent.

    Raises:
        TransientFailure: Kafka is down, or another process publishes. Ledger and settlements stay as they are.
        PermanentFailure: the topic's state belongs to another ledger, or the ledger's sequence has a gap.
    """
    if not settings().publishes:
        return 0
    topics.create()
    identity, total = arrow_tables.identity(CORRECTIONS), arrow_tables.count(CORRECTIONS)
    topic = topic_ids([settings().corrections_topic]).get(settings().corrections_topic, "")
    if published(identity, total, topic) == total:
        return 0
    with _named_failures(), lineage.step("publish"):
        producer = publisher("corrections", settings().bucket, SECONDS)
        # Read the state again: before that an earlier publisher could still commit its last transaction.
        first = done = published(identity, total, topic)
        ledger = spark_tables.read(session, CORRECTIONS)
        while done < total:
            rows = page(ledger, done)
            _send(producer, rows, identity, topic)
            done = rows[-1]["sequence"]
    return total - first


def published(ledger: str, total: int, topic: str = "") -> int:
    """The sequence of the last correction that a committed transaction sent; 0 before the first.

    It was sent to a topic of an id. If `topic`, its id now, is another one, the topic was made again: then it has nothing yet.
    Raises PermanentFailure if it belongs to another ledger than `ledger` (a table id), or is larger than its `total` rows.
    """
    s = settings()
    done, of, to = 0, ledger, topic
    for record in committed(s.corrections_state_topic):
        if record.key() == s.bucket.encode():
            state = json.loads(record.value() or b"{}")
            done, of, to = int(state.get("sequence", 0)), state.get("ledger", ledger), state.get("topic", "")
    if of != ledger or done > total:
        raise PermanentFailure(
            f"the topic {s.corrections_topic!r} holds {done} corrections of another lake in a bucket named "
            f"{s.bucket!r}. Delete this topic and {s.corrections_state_topic!r}, or name another one by "
            "DAYBREAK_CORRECTIONS_TOPIC."
        )
    # A state from before has no id, and some brokers give none.
    return 0 if topic and to and to != topic else done


def carry(bucket: str) -> None:
    """Before a lake in `bucket`, whose ledger begins as this one's, takes its place: what was sent of it is sent of that too.

    Raises as `publish` does.
    """
    topics.create()
    s = settings()
    identity, total = arrow_tables.identity(CORRECTIONS), arrow_tables.count(CORRECTIONS)
    topic = topic_ids([s.corrections_topic]).get(s.corrections_topic, "")
    with _named_failures():
        producer = publisher("corrections", bucket, SECONDS)
        state = {"sequence": published(identity, total, topic), "ledger": identity, "topic": topic}
        with transaction(producer, SECONDS):
            _keep(producer, bucket, state)
            producer.flush(SECONDS)


def _keep(producer: Producer, bucket: str, state: Mapping[str, Any]) -> None:
    topic = settings().corrections_state_topic
    producer.produce(topic, key=bucket.encode(), value=json.dumps(state).encode(), partition=0)


def page(ledger: DataFrame, done: int) -> list[dict[str, Any]]:
    """The rows that follow sequence `done`, at most BATCH. Raises PermanentFailure if one is missing or doubled."""
    own = ledger.where(F.col("sequence").between(done + 1, done + BATCH))
    rows = sorted(own.toArrow().to_pylist(), key=lambda row: row["sequence"])
    found = [row["sequence"] for row in rows]
    if not rows or found != list(range(done + 1, done + 1 + len(rows))):
        raise PermanentFailure(
            f"the ledger of corrections does not go on from {done} with {done + 1}: {found[:5]}. A sequence is missing or "
            'doubled: see daybreak query "SELECT * FROM reconciliation.corrections ORDER BY sequence"'
        )
    return rows


def message(row: Mapping[str, Any]) -> tuple[bytes, bytes]:
    """A ledger row as key {view, day, key} and value, both compact JSON.

    The key identifies one row of a view, so all corrections of a row are in one partition, in order, and compaction keeps
    the newest. The ledger's JSON is copied as text: if it were parsed and written again, a number could change.
    """
    moment = row["corrected_at"].astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    identity = {"view": _text(row["view"]), "day": _text(row["day"].isoformat()), "key": row["key"]}
    value = identity | {
        "old": row["old"] or "null",
        "new": row["new"] or "null",
        **{name: _text(row[name]) for name in ("cause", "run", "definition", "revision", "sequence")},
        "corrected_at": _text(moment),
    }
    return _object(identity), _object(value)


def _send(producer: Producer, rows: Sequence[Mapping[str, Any]], ledger: str, topic: str) -> None:
    """Send rows and state in one transaction."""
    s = settings()
    with transaction(producer, SECONDS):
        for row in rows:
            key, value = message(row)
            producer.produce(s.corrections_topic, key=key, value=value)
        state = {"sequence": rows[-1]["sequence"], "ledger": ledger, "topic": topic}
        _keep(producer, s.bucket, state)
        producer.flush(SECONDS)
        point("publish.before-commit")
    point("publish.after-commit")


@contextmanager
def _named_failures() -> Iterator[None]:
    """Turn Kafka's errors into TransientFailure: the days stay settled, and a retry can help."""
    try:
        yield
    except KafkaException as failure:
        error = failure.args[0]
        s = settings()
        if error.code() in FENCED:
            raise TransientFailure(
                f"another process publishes the corrections of bucket {s.bucket!r}, so Kafka fenced this one off and rolled "
                "back its open transaction. The other process sends them; to check, run python -m batch publish"
            ) from failure
        raise TransientFailure(
            f"Kafka at {s.kafka_bootstrap} did not take the corrections: {error.str()}; the days stay settled, and the "
            "next try sends them"
        ) from failure


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _object(fields: Mapping[str, str]) -> bytes:
    """Compact JSON of fields that are JSON already."""
    return ("{" + ",".join(f'"{name}":{text}' for name, text in fields.items()) + "}").encode()
