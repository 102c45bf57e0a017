"""Transactions of a publisher that sends something of the lake exactly once: its messages, and the state that says so.

Data flow: messages and state -> one Kafka transaction, committed or rolled back
Run: python -m batch publish

A publisher keeps its state in a topic of its own, because Kafka deletes the offsets of a consumer group that rests for a week.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from confluent_kafka import KafkaException, Producer

from infra.kafka import client


def publisher(name: str, bucket: str, seconds: float, more: Mapping[str, str | int] | None = None) -> Producer:
    """The only producer of a name for the lake in `bucket`; `seconds`: longest wait, and the timeout of its transactions;
    `more` are options of this producer alone.

    From here on Kafka fences off an earlier one that still runs, and has rolled back its open transaction. So read its state
    after this call. Raises KafkaException if Kafka does not answer.
    """
    own = {"transactional.id": f"daybreak-{name}-{bucket}", "transaction.timeout.ms": int(seconds * 1000)}
    # The partition that Kafka's own Java clients would choose.
    made = Producer({**client.options(), "partitioner": "murmur2_random", **(more or {}), **own})
    made.init_transactions(seconds)
    return made


@contextmanager
def transaction(producer: Producer, seconds: float) -> Iterator[None]:
    """Commit what the block produces, all or nothing. Raises KafkaException if Kafka did not take it."""
    producer.begin_transaction()
    try:
        yield
        producer.commit_transaction(seconds)
    except KafkaException:
        # Roll back at once if possible: an open transaction blocks the topic's consumers until it times out.
        with suppress(KafkaException):
            producer.abort_transaction(seconds)
        raise
