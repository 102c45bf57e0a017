"""The Kafka topics that the night writes.

Data flow: Settings -> Kafka topics `corrections`, `corrections-state`
Run: python -m batch publish
"""

from infra.kafka import compacted
from infra.settings import settings


def create() -> None:
    """Create the missing topics. Raises as `infra.kafka.compacted.create`."""
    s = settings()
    wanted = {s.corrections_topic: s.topic_partitions, s.corrections_state_topic: 1}
    compacted.create(wanted, "DAYBREAK_CORRECTIONS_TOPIC")
