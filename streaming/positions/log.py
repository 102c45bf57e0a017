"""What Kafka holds now: the bounds of every partition of the contracts' topics, the topics' ids, and a record's arrival.

Data flow: Kafka's watermark offsets, topic ids -> Log
Run: python -m streaming; python -m batch archive --date 2026-01-31
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from infra.failures import TransientFailure
from infra.kafka import client
from infra.kafka.ends import bounds
from infra.kafka.first_records import READING, first_records
from infra.kafka.places import At, Ends
from infra.kafka.topic_ids import topic_ids
from streaming.contracts import CONTRACTS

TIMEOUT_SECONDS = 20


@dataclass(frozen=True)
class Log:
    """What Kafka holds now: the first offset still there and one past the last, per topic and partition; topics' ids."""

    first: Ends
    end: Ends
    ids: Mapping[str, str] = field(default_factory=dict)


def log_now() -> Log:
    """The log's present bounds for every contract's topic. Raises TransientFailure if Kafka does not answer."""
    first: Ends = {}
    end: Ends = {}
    with client.consumer("log") as consumer:
        for topic in CONTRACTS:
            described = consumer.list_topics(topic, timeout=TIMEOUT_SECONDS).topics[topic]
            if described.error is not None:
                raise TransientFailure(f"topic {topic!r} does not exist yet: start the stream (daybreak status)")
            for partition in described.partitions:
                at = topic, partition
                first[at], end[at] = bounds(consumer, at, TIMEOUT_SECONDS)
    # Asked last: bounds of a topic that has the same id now are of this log.
    return Log(first, end, topic_ids(CONTRACTS))


def arrivals(at: Mapping[At, int]) -> dict[At, datetime]:
    """Arrival time of the first record at or after an offset, per partition; a partition without one is left out."""
    with client.consumer("log", READING) as consumer:
        return {place: one.arrival for place, one in first_records(consumer, at, TIMEOUT_SECONDS).items()}
