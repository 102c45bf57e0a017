"""Names of the topics that only the platform writes: alerts, corrections, and where each writer keeps its position.

Data flow: DAYBREAK_CORRECTIONS_TOPIC, DAYBREAK_ALERTS_TOPIC, DAYBREAK_NOTIFY_TOPIC -> Settings
Run: daybreak alerts
"""

from pydantic import Field
from pydantic_settings import BaseSettings


class OwnTopics(BaseSettings):
    """One name per writer; its other topics follow from it."""

    corrections_topic: str = Field(
        "corrections",
        pattern=r"^[A-Za-z0-9._-]{1,200}$",
        description="Topic of the corrections; the publisher keeps its position in `<name>-state`",
    )
    alerts_topic: str = Field(
        "alerts",
        pattern=r"^[A-Za-z0-9._-]{1,200}$",
        description="Topic of the alerts; the stream keeps its position in `<name>-state`",
    )
    notify_topic: str = Field(
        "notify",
        pattern=r"^[A-Za-z0-9._-]{1,200}$",
        description="Prefix of the topics of deliveries: positions are in `<name>-state`, dead letters in `<name>-dead-letters`",
    )

    @property
    def corrections_state_topic(self) -> str:
        """Topic in which the publisher of the corrections keeps its position."""
        return f"{self.corrections_topic}-state"

    @property
    def alerts_state_topic(self) -> str:
        """Topic in which the stream keeps the micro-batch whose alerts it sent last."""
        return f"{self.alerts_topic}-state"

    @property
    def notify_state_topic(self) -> str:
        """Topic of the position of each target of notify."""
        return f"{self.notify_topic}-state"

    @property
    def dead_letters_topic(self) -> str:
        """Topic of the deliveries that were given up."""
        return f"{self.notify_topic}-dead-letters"
