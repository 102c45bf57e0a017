"""What a producer waits for, and whether it numbers its records.

Data flow: none, settings only
Run: daybreak lab acks
"""

from enum import StrEnum

from infra.kafka.client import Options


class Setting(StrEnum):
    """A producer's `acks`, and idempotence where it may be on: Kafka's clients refuse it with anything but acks=all."""

    NONE = "acks=0"
    LEADER = "acks=1"
    ALL = "acks=all"
    IDEMPOTENT = "acks=all, idempotent"

    @property
    def options(self) -> Options:
        """Of librdkafka; all else is as it is by default."""
        acks = self.value.removeprefix("acks=").partition(",")[0]
        return {"acks": acks, "enable.idempotence": self is Setting.IDEMPOTENT}

    @property
    def topic(self) -> str:
        """Its topic in the lab's cluster."""
        return self.name.lower()
