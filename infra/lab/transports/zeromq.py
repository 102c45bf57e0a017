"""Orders over ZeroMQ: PUB/SUB gives every consumer each order, PUSH/PULL gives each order to one of them.

Data flow: messages -> ZeroMQ's queues in the producer and in each consumer -> work
Run: daybreak lab direct

No broker stands between, but each end has a queue in memory (the high-water mark, 1,000 messages by default). Past it PUB
drops and PUSH waits. What is in a queue is gone with its process.
"""

from collections.abc import Callable
from functools import partial

import zmq

from infra.lab.transports.transport import CONNECT_SECONDS, POLL_SECONDS, Ends, Taken, Wire, Work

SUBSCRIBED = b"\x01"


class ZmqSender:
    """Binds a socket, and waits for its consumers: ZeroMQ would drop, or give to the first alone, what is sent before."""

    def __init__(self, wire: Wire, taken: Taken, kind: int) -> None:
        self._taken = taken
        self._kind = kind
        # An XPUB is a PUB that can see who subscribes.
        self._socket = _socket(wire, kind)
        if kind == zmq.XPUB:
            self._socket.setsockopt(zmq.XPUB_VERBOSE, 1)
            self._arrivals = self._socket
        else:
            self._arrivals = self._socket.get_monitor_socket(zmq.EVENT_HANDSHAKE_SUCCEEDED)
        self._socket.bind(f"tcp://{wire.host}:{wire.port}")

    def wait_for(self, consumers: int) -> None:
        """Wait until so many have subscribed or connected. Raises TimeoutError after CONNECT_SECONDS."""
        arrived = 0
        while arrived < consumers:
            if not self._arrivals.poll(CONNECT_SECONDS * 1000):
                raise TimeoutError(f"{arrived} of {consumers} consumers have connected")
            parts = self._arrivals.recv_multipart()
            arrived += self._kind != zmq.XPUB or parts[0].startswith(SUBSCRIBED)

    def send(self, number: int, message: bytes) -> None:
        """Put the message into ZeroMQ's queues."""
        self._socket.send(message)
        self._taken(number)

    def flush(self) -> None:
        """Nothing to wait for: no answer comes."""


class ZmqReceiver:
    """Connects, and reads from its queue."""

    def __init__(self, wire: Wire, consumer: int, first: int, kind: int) -> None:
        self._socket = _socket(wire, kind)
        if kind == zmq.SUB:
            self._socket.setsockopt(zmq.SUBSCRIBE, b"")
        self._socket.connect(f"tcp://{wire.host}:{wire.port}")

    def run(self, work: Work, leaving: Callable[[], bool]) -> None:
        """Work on each message; on leaving, those in the queue are lost."""
        while not leaving():
            if self._socket.poll(int(POLL_SECONDS * 1000)):
                work(self._socket.recv())
        self._socket.close(linger=0)


def _socket(wire: Wire, kind: int) -> "zmq.Socket[bytes]":
    """A socket with the wire's limits: its high-water mark, and the buffers of its connections."""
    made: zmq.Socket[bytes] = zmq.Context.instance().socket(kind)
    if wire.high_water is not None:
        made.set_hwm(wire.high_water)
    if wire.socket_bytes is not None:
        made.setsockopt(zmq.SNDBUF, wire.socket_bytes)
        made.setsockopt(zmq.RCVBUF, wire.socket_bytes)
    return made


PUBSUB = Ends(partial(ZmqSender, kind=zmq.XPUB), partial(ZmqReceiver, kind=zmq.SUB))
PUSHPULL = Ends(partial(ZmqSender, kind=zmq.PUSH), partial(ZmqReceiver, kind=zmq.PULL))
