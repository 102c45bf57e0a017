"""Where the queue broker is, and as whom one connects.

Data flow: Settings -> Broker, which a lab hands to its processes
Run: daybreak up --with queue
"""

from dataclasses import dataclass, field

from infra.settings import Settings

USER = "daybreak"
"""The broker's one user; its password is generated."""
DEAD = "DLQ"
"""The address of messages that were delivered too often: those of a queue Q are in the queue `DLQ.Q`."""


@dataclass(frozen=True)
class Broker:
    """A broker that speaks STOMP, and the one user that it knows."""

    host: str
    port: int
    user: str
    password: str = field(repr=False)


def dead_letters(queue: str) -> str:
    """The queue of a queue's messages that were delivered too often."""
    return f"{DEAD}.{queue}"


def broker(s: Settings) -> Broker:
    """The embedded one."""
    return Broker("127.0.0.1", s.queue_port, USER, s.queue_password.get_secret_value())
