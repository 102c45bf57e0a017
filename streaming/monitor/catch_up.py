"""Has the stream caught up with the log?

Data flow: Kafka's end offsets, speed/progress -> Behind
Run: daybreak demo
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow.compute as pc
from confluent_kafka import TopicPartition

from infra.kafka import client
from infra.kafka.places import Ends
from infra.lake.reader import read
from infra.settings import Settings
from streaming.tables.progress import INGEST, PROGRESS

RECENT = timedelta(minutes=10)


@dataclass(frozen=True)
class Behind:
    """Records in Kafka that no finished micro-batch has read; at 0, silver and all views have caught up."""

    records: int

    @property
    def nothing(self) -> bool:
        """Has the stream processed every record?"""
        return self.records == 0

    def __str__(self) -> str:
        return f"{self.records:,} records to read" if self.records else "caught up"


def behind(s: Settings) -> Behind:
    """Compare once. Raises TransientFailure if Kafka or the store does not answer."""
    read_to = {(at["topic"], at["partition"]): at["to"] for at in latest(s, "offsets") or ()}
    return Behind(sum(end - read_to.get(at, 0) for at, end in log_ends({t for t, _ in read_to}).items()))


def latest(s: Settings, column: str) -> Any:
    """A column of the last micro-batch, None before the first. Recent rows come first: progress has one per micro-batch."""
    own = pc.field("query") == INGEST
    for where in (own & (pc.field("committed_at") >= datetime.now(UTC) - RECENT), own):
        rows = read(s, PROGRESS.id, ["generation", "batch_id", column], where=where).to_pylist()
        if rows:
            return max(rows, key=lambda row: (row["generation"], row["batch_id"]))[column]
    return None


def log_ends(topics: set[str]) -> Ends:
    """One past the last offset of every partition of the topics."""
    found = {}
    with client.consumer("drain") as consumer:
        for topic in topics:
            for partition in consumer.list_topics(topic, timeout=10).topics[topic].partitions:
                _, high = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=10)
                found[topic, partition] = high
    return found
