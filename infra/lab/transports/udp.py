"""Orders as bare UDP datagrams, to each consumer or to a multicast group: sent and forgotten.

Data flow: messages -> a datagram each -> work
Run: daybreak lab direct

So do clients of metrics: a counter that is only near the truth is good enough for them. Nobody learns that a datagram was
lost, neither where the socket's buffer was full nor where nobody listened.
"""

import select
import socket
from collections.abc import Callable
from functools import partial

from infra.lab.transports.buffers import limit
from infra.lab.transports.transport import POLL_SECONDS, Ends, Taken, Wire, Work

LARGEST = 65_535


class UdpSender:
    """Sends a datagram to each of its targets."""

    def __init__(self, wire: Wire, taken: Taken, multicast: bool) -> None:
        self._taken = taken
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._targets = [(wire.host, wire.port + consumer) for consumer in wire.each]
        if multicast:
            self._targets = [(wire.group, wire.port)]
            # Out by loopback, and no hop further.
            self._socket.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("127.0.0.1"))
            self._socket.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 0)

    def wait_for(self, consumers: int) -> None:
        """Nothing: a datagram needs no connection, and its sender knows no consumer."""

    def send(self, number: int, message: bytes) -> None:
        """Send, and forget."""
        for target in self._targets:
            self._socket.sendto(message, target)
        self._taken(number)

    def flush(self) -> None:
        """Nothing to wait for: no answer comes."""


class UdpReceiver:
    """Listens on the consumer's own port, or on that of the group."""

    def __init__(self, wire: Wire, consumer: int, first: int, multicast: bool) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        if multicast:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            # Bound to the group, so that datagrams of no other group come in.
            self._socket.bind((wire.group, wire.port))
            own = socket.inet_aton(wire.group) + socket.inet_aton("127.0.0.1")
            self._socket.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, own)
        else:
            self._socket.bind((wire.host, wire.port + consumer))
        limit(self._socket, wire)

    def run(self, work: Work, leaving: Callable[[], bool]) -> None:
        """Work on each datagram; on leaving, those in the socket's buffer are lost."""
        with self._socket:
            while not leaving():
                if select.select([self._socket], [], [], POLL_SECONDS)[0]:
                    work(self._socket.recv(LARGEST))


UNICAST = Ends(partial(UdpSender, multicast=False), partial(UdpReceiver, multicast=False))
MULTICAST = Ends(partial(UdpSender, multicast=True), partial(UdpReceiver, multicast=True))
