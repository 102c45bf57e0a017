"""Has the stream caught up with the log?

Data flow: Kafka's end offsets, speed/progress -> Behind
Run: daybreak demo
"""

from dataclasses import dataclass

from confluent_kafka import Consumer, KafkaException, TopicPartition

from infra.failures import TransientFailure
from infra.reader import read
from infra.settings import Settings

INGEST = "ingest"


@dataclass(frozen=True)
class Behind:
    """Records not yet in silver, and the view queries that have not yet read all of silver."""

    records: int
    views: tuple[str, ...]

    @property
    def nothing(self) -> bool:
        """Has everything arrived everywhere?"""
        return self.records == 0 and not self.views

    def __str__(self) -> str:
        if self.records:
            return f"{self.records:,} records to read"
        return f"waiting for {', '.join(self.views)}" if self.views else "caught up"


def behind(s: Settings) -> Behind:
    """Look once. Raises TransientFailure if Kafka or the store does not answer."""
    progress = read(
        s, "speed/progress", ["query", "lineage", "batch_id", "offsets", "versions", "silver_version"]
    ).to_pylist()
    latest: dict[str, dict[str, object]] = {}
    for row in sorted(progress, key=lambda row: (row["lineage"], row["batch_id"])):
        latest[row["query"]] = row
    read_to: dict[tuple[str, int], int] = {}
    silver = 0
    if INGEST in latest:
        ingest = latest[INGEST]
        for at in ingest["offsets"]:  # type: ignore[attr-defined]
            read_to[at["topic"], at["partition"]] = at["to"]
        silver = dict(ingest["versions"])["silver/events"]  # type: ignore[call-overload]
    views = [name for name, row in latest.items() if name != INGEST and int(str(row["silver_version"])) <= silver]
    return Behind(
        sum(end - read_to.get(at, 0) for at, end in log_ends(s, {t for t, _ in read_to}).items()), tuple(sorted(views))
    )


def log_ends(s: Settings, topics: set[str]) -> dict[tuple[str, int], int]:
    """One past the last offset of every partition of the topics."""
    consumer = Consumer({"bootstrap.servers": s.kafka_bootstrap, "group.id": "daybreak-drain", **s.kafka_client})
    try:
        found = {}
        for topic in topics:
            for partition in consumer.list_topics(topic, timeout=10).topics[topic].partitions:
                _, high = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=10)
                found[topic, partition] = high
        return found
    except KafkaException as failure:
        raise TransientFailure(f"Kafka at {s.kafka_bootstrap} does not answer: {failure.args[0].str()}") from failure
    finally:
        consumer.close()
