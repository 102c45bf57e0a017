"""The replicas of each partition: where they are, and which of them have every record.

Data flow: Kafka's metadata -> Replicas
Run: daybreak status --problems
"""

from dataclasses import dataclass

from confluent_kafka.admin import ClusterMetadata  # type: ignore[attr-defined]

NOBODY = -1


@dataclass(frozen=True)
class Replicas:
    """A partition: brokers that are to keep it (`everywhere`), those in sync with its leader, and the leader, NOBODY if none."""

    topic: str
    partition: int
    leader: int
    everywhere: frozenset[int]
    in_sync: frozenset[int]

    @property
    def name(self) -> str:
        """As Kafka names it: `TOPIC-0`."""
        return f"{self.topic}-{self.partition}"

    @property
    def is_offline(self) -> bool:
        """Can nobody read it or write to it?"""
        return self.leader == NOBODY

    @property
    def behind(self) -> frozenset[int]:
        """Brokers that lack records of it."""
        return self.everywhere - self.in_sync


def replicas(metadata: ClusterMetadata) -> list[Replicas]:
    """Every partition of every topic, Kafka's own too, by topic and number."""
    return [
        Replicas(topic, number, one.leader, frozenset(one.replicas), frozenset(one.isrs))
        for topic, found in sorted(metadata.topics.items())
        for number, one in sorted(found.partitions.items())
    ]
