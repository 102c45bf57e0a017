"""The transports that the labs compare, and what each of them offers: an end that sends, and one that receives.

Data flow: Transport -> Ends -> Sender in the producer's process, Receiver in a consumer's
Run: daybreak lab direct

A sender takes messages and says of each when it has taken it over. A receiver hands each message to the consumer's work; the
return of this work is its acknowledgement, where a transport has one. What a sender does when its consumers are too slow is
the transport's own policy: it drops, it buffers, or `send` waits.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol

CONNECT_SECONDS = 20
"""How long a sender waits for its consumers."""
POLL_SECONDS = 0.05
"""How often a receiver without messages looks whether it is to leave."""


class Transport(StrEnum):
    """A way from the producer to its consumers."""

    TCP = "TCP socket"
    UDP = "UDP unicast"
    MULTICAST = "UDP multicast"
    NUMBERED = "UDP, repeated on request"
    PUBSUB = "ZeroMQ PUB/SUB"
    PUSHPULL = "ZeroMQ PUSH/PULL"
    WEBHOOK = "webhook, one try"
    RETRIED = "webhook, retried"
    KAFKA = "Kafka"
    QUEUE = "queue broker"

    @property
    def shared(self) -> bool:
        """Do consumers share the work? Else each of them gets every order."""
        return self is Transport.PUSHPULL


@dataclass(frozen=True)
class Wire:
    """Where a run's processes meet: addresses of its own on loopback, `history` kept messages, and for a broker its `topic` or
    queue, and the `options` of its clients, which may hold a password.

    The producer has `port`, consumer n, from 1 to `consumers`, has `port` + n; multicast goes to `group`. `high_water` is how
    many messages a queue in a process may hold, `socket_bytes` how many bytes a socket's buffer; without them a queue has its
    library's limit, or none, and a socket the system's.
    """

    host: str
    group: str
    port: int
    consumers: int
    history: int
    topic: str
    options: dict[str, str | int | float | bool]
    high_water: int | None = None
    socket_bytes: int | None = None

    @property
    def each(self) -> range:
        """The consumers' numbers."""
        return range(1, self.consumers + 1)


class Full(Exception):
    """A transport's buffer is full, and `send` does not wait: the message is not taken."""


Taken = Callable[[int], None]
Work = Callable[[bytes], None]


class Sender(Protocol):
    """The producer's end; it is reachable when it is made."""

    def wait_for(self, consumers: int) -> None:
        """Wait until so many are connected, where that is known. Raises TimeoutError after CONNECT_SECONDS."""

    def send(self, number: int, message: bytes) -> None:
        """Hand a message over; it calls `taken` with its number as soon as the transport answers for it. Raises Full."""

    def flush(self) -> None:
        """Wait until everything is sent and no answer or retry is awaited."""


class Receiver(Protocol):
    """A consumer's end; if others connect to it, it is reachable when it is made."""

    def run(self, work: Work, leaving: Callable[[], bool]) -> None:
        """Give each message to `work`, until `leaving` is true; then let go of the transport in its usual way."""


class Ends(NamedTuple):
    """How both ends are made; a receiver is told its consumer's number and the first order that this has not processed."""

    sender: Callable[[Wire, Taken], Sender]
    receiver: Callable[[Wire, int, int], Receiver]


def ends(transport: Transport) -> Ends:
    """Both ends of a transport. Only its own library is loaded, because each process of a lab uses one."""
    match transport:
        case Transport.TCP:
            from infra.lab.transports import tcp

            return Ends(tcp.TcpSender, tcp.TcpReceiver)
        case Transport.UDP | Transport.MULTICAST:
            from infra.lab.transports import udp

            return udp.UNICAST if transport is Transport.UDP else udp.MULTICAST
        case Transport.NUMBERED:
            from infra.lab.transports import udp_numbered

            return Ends(udp_numbered.NumberedSender, udp_numbered.NumberedReceiver)
        case Transport.PUBSUB | Transport.PUSHPULL:
            from infra.lab.transports import zeromq

            return zeromq.PUBSUB if transport is Transport.PUBSUB else zeromq.PUSHPULL
        case Transport.WEBHOOK | Transport.RETRIED:
            from infra.lab.transports import webhook

            return webhook.ONE_TRY if transport is Transport.WEBHOOK else webhook.RETRIED
        case Transport.KAFKA:
            from infra.lab.transports import log

            return Ends(log.LogSender, log.LogReceiver)
        case Transport.QUEUE:
            from infra.lab.transports import queue

            return Ends(queue.QueueSender, queue.QueueReceiver)
