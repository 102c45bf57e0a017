"""Orders over a queue broker: it keeps each until a consumer has acknowledged it, in memory, and on disk beyond.

Data flow: messages -> the broker's queue -> work, then its acknowledgement, which deletes the message
Run: daybreak lab overload
"""

from collections.abc import Callable
from dataclasses import asdict
from functools import partial

from infra.lab.transports.transport import POLL_SECONDS, Taken, Wire, Work
from infra.queue.broker import Broker
from infra.queue.connection import WINDOW, Connection

Options = dict[str, str | int | float | bool]


def options(broker: Broker) -> Options:
    """The way to the broker, as a wire has it."""
    return asdict(broker)


def _connection(wire: Wire) -> Connection:
    way = wire.options
    return Connection(Broker(str(way["host"]), int(way["port"]), str(way["user"]), str(way["password"])))


class QueueSender:
    """Sends durable messages; one is taken when the broker has it on disk."""

    def __init__(self, wire: Wire, taken: Taken) -> None:
        self._taken, self._queue = taken, wire.topic
        self._connection = _connection(wire)

    def wait_for(self, consumers: int) -> None:
        """Nothing: consumers may come later."""

    def send(self, number: int, message: bytes) -> None:
        """Send it on. It waits while the broker lets senders wait; if the queue is full, the broker ends the connection."""
        self._connection.send(self._queue, message, taken=partial(self._taken, number))

    def flush(self) -> None:
        """Wait for the broker's answers. Raises TransientFailure if they do not come."""
        self._connection.flush()


class QueueReceiver:
    """Takes messages from the queue, so many bytes ahead of its work as the wire's sockets would hold."""

    def __init__(self, wire: Wire, consumer: int, first: int) -> None:
        self._connection = _connection(wire)
        self._connection.subscribe(wire.topic, window=wire.socket_bytes or WINDOW)
        self._connection.flush()

    def run(self, work: Work, leaving: Callable[[], bool]) -> None:
        """Work on each message, then acknowledge it; what is not acknowledged goes back to the queue."""
        with self._connection:
            while not leaving():
                if delivery := self._connection.receive(POLL_SECONDS):
                    work(delivery.body)
                    self._connection.acknowledge(delivery)
