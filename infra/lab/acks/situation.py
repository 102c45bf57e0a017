"""What happens to the brokers while the lab's producers send.

Data flow: none, names only
Run: daybreak lab acks
"""

from enum import StrEnum

from infra.kafka.client import Options
from infra.lab.acks.setting import Setting


class Situation(StrEnum):
    """What happens while the producers send."""

    WELL = "all are well"
    KILLED = "the leader is killed"
    PAUSED = "it is killed while the followers pause"

    @property
    def options(self) -> Options:
        """Of all producers: while all are well they wait for acknowledgements, and not for company; else as it is by default."""
        return {"linger.ms": 0} if self is Situation.WELL else {}

    def topic(self, setting: Setting) -> str:
        """Its own topic of each producer."""
        return f"{self.name.lower()}-{setting.topic}"
