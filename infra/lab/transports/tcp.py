"""Orders over a TCP connection to each consumer: no message has a name, and nobody keeps what was not delivered.

Data flow: messages -> length and bytes on each open connection -> work
Run: daybreak lab direct

A consumer connects to the producer. While it is not connected, what is sent passes it by. A consumer that reads too slowly
makes `send` wait, and with it all others: backpressure.
"""

import select
import socket
import struct
import time
from collections.abc import Callable, Iterator

from infra.lab.transports.buffers import limit
from infra.lab.transports.transport import CONNECT_SECONDS, POLL_SECONDS, Taken, Wire, Work

LENGTH = struct.Struct(">I")
AGAIN_SECONDS = 0.02
"""Pause between two tries to connect."""


class TcpSender:
    """Listens, and writes every message to every connection."""

    def __init__(self, wire: Wire, taken: Taken) -> None:
        self._taken = taken
        self._listener = socket.socket()
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        limit(self._listener, wire)  # its connections have the same
        self._listener.bind((wire.host, wire.port))
        self._listener.listen()
        self._connected: list[socket.socket] = []

    def wait_for(self, consumers: int) -> None:
        """Wait until so many are connected. Raises TimeoutError after CONNECT_SECONDS."""
        give_up = time.monotonic() + CONNECT_SECONDS
        while len(self._connected) < consumers:
            if time.monotonic() > give_up:
                raise TimeoutError(f"{len(self._connected)} of {consumers} consumers have connected")
            self._accept(POLL_SECONDS)

    def send(self, number: int, message: bytes) -> None:
        """Write to all that are connected. A connection that broke is given up, with what was on its way."""
        self._accept(0)
        for one in list(self._connected):
            try:
                one.sendall(LENGTH.pack(len(message)) + message)
            except ConnectionError:
                self._connected.remove(one)
                one.close()
        self._taken(number)

    def flush(self) -> None:
        """Nothing to wait for: what was written is the system's."""

    def _accept(self, seconds: float) -> None:
        while select.select([self._listener], [], [], seconds)[0]:
            connection, _ = self._listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._connected.append(connection)
            seconds = 0


class TcpReceiver:
    """Connects, again and again if it must, and reads."""

    def __init__(self, wire: Wire, consumer: int, first: int) -> None:
        self._wire = wire

    def run(self, work: Work, leaving: Callable[[], bool]) -> None:
        """Work on each message as it comes; on leaving, what has come and was not worked on is lost."""
        while not leaving():
            try:
                with socket.socket() as connection:
                    limit(connection, self._wire)
                    connection.settimeout(CONNECT_SECONDS)
                    connection.connect((self._wire.host, self._wire.port))
                    for message in _messages(connection, leaving):
                        work(message)
            except ConnectionError:
                # There is no producer now; the next one may listen in a moment.
                time.sleep(AGAIN_SECONDS)


def _messages(connection: socket.socket, leaving: Callable[[], bool]) -> Iterator[bytes]:
    """The messages of a connection until it ends, or until `leaving`."""
    buffer = bytearray()
    while not leaving():
        if not select.select([connection], [], [], POLL_SECONDS)[0]:
            continue
        if not (read := connection.recv(65_536)):
            return
        buffer += read
        while len(buffer) >= LENGTH.size:
            end = LENGTH.size + LENGTH.unpack_from(buffer)[0]
            if len(buffer) < end:
                break
            message = bytes(buffer[LENGTH.size : end])
            del buffer[:end]
            yield message
            if leaving():
                return
