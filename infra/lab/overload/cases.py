"""What the lab of overload compares: transports whose policy for too much is chosen on purpose.

Data flow: none, choices only
Run: daybreak lab overload

Whoever makes four orders for each that is processed must drop, keep or not make the other three. There is no fourth way; a
transport without a policy has one all the same.
"""

from dataclasses import dataclass
from enum import StrEnum

from infra.lab.transports.transport import Transport


class Policy(StrEnum):
    """What becomes of what the consumer is too slow for."""

    DROP = "drop"
    MEMORY = "buffer in memory"
    BACKPRESSURE = "backpressure"
    DISK = "buffer that spills to disk"
    LOG = "log"


@dataclass(frozen=True)
class Case:
    """A transport under a policy: its `name` in the table, and what happens when its buffer is full.

    `keeps` says that what it has taken is processed in the end. If it `ends`, its queue has no limit, and its producer is
    killed when it has more memory than it may.
    """

    policy: Policy
    transport: Transport
    name: str
    when_full: str
    keeps: bool
    ends: bool = False

    @property
    def takes_all(self) -> bool:
        """Is every order taken, if the producer has to wait for it or not?"""
        return self.policy in (Policy.BACKPRESSURE, Policy.DISK, Policy.LOG)

    @property
    def of_broker(self) -> bool:
        """Does a broker stand between?"""
        return self.policy in (Policy.DISK, Policy.LOG)


UDP, TCP, LIMITED = "UDP unicast", "TCP socket", "webhook, queue with a limit"
BROKER, LOG = "queue broker", "Kafka"
"""Cases that others look for."""

CASES = (
    Case(
        Policy.DROP,
        Transport.UDP,
        UDP,
        "The system drops what comes in. Nobody is told.",
        keeps=False,
    ),
    Case(
        Policy.DROP,
        Transport.NUMBERED,
        "UDP, repeated on request",
        "The producer forgets its oldest. The consumer knows which it will never get.",
        keeps=False,
    ),
    Case(
        Policy.DROP,
        Transport.PUBSUB,
        "ZeroMQ PUB/SUB",
        "PUB drops what it is given. Nobody is told.",
        keeps=False,
    ),
    Case(
        Policy.MEMORY,
        Transport.RETRIED,
        LIMITED,
        "The queue refuses the order. The producer is told, and has to drop it, keep it or wait.",
        keeps=True,
    ),
    Case(
        Policy.MEMORY,
        Transport.RETRIED,
        "webhook, queue without a limit",
        "Its process is killed when it has more memory than it may, as a container is. All that waited is gone.",
        keeps=False,
        ends=True,
    ),
    Case(
        Policy.BACKPRESSURE,
        Transport.TCP,
        TCP,
        "The next write waits: the producer is as slow as its consumer.",
        keeps=True,
    ),
    Case(
        Policy.BACKPRESSURE,
        Transport.PUSHPULL,
        "ZeroMQ PUSH/PULL",
        "The next send waits: the producer is as slow as its consumer.",
        keeps=True,
    ),
    Case(
        Policy.DISK,
        Transport.QUEUE,
        BROKER,
        "Beyond DAYBREAK_QUEUE_ADDRESS_MB what comes is in pages on disk only; beyond DAYBREAK_QUEUE_DISK_MB it is refused.",
        keeps=True,
    ),
    Case(
        Policy.LOG,
        Transport.KAFKA,
        LOG,
        "It was not: the consumer has a lag. Beyond its retention a log deletes the oldest, read or not.",
        keeps=True,
    ),
)
