"""What a command needs that is about the queue broker: that the option is on.

Data flow: Settings -> the same, or a sentence
Run: daybreak lab queue
"""

from infra.failures import PermanentFailure
from infra.options import QUEUE
from infra.settings import Settings, settings


def queue_on() -> Settings:
    """The settings. Raises PermanentFailure with what to do if the option queue is off."""
    if not settings().has(QUEUE):
        raise PermanentFailure("the queue broker is off; turn it on: daybreak up --with queue")
    return settings()
