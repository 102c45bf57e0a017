"""Orders as numbered UDP datagrams, with a history in the producer and repetition on request.

Data flow: messages -> datagrams and heartbeats -> Gaps -> work; requests -> History -> the datagrams again
Run: daybreak lab direct

A heartbeat says which numbers the producer has. So a consumer learns of a loss at the end of the stream too, and after an
absence it asks for what it missed, from the order on that its own ledger lacks.
"""

import select
import socket
import struct
import threading
import time
from collections.abc import Callable

from infra.lab.transports.buffers import limit
from infra.lab.transports.retransmission import Gaps, Held, History
from infra.lab.transports.transport import POLL_SECONDS, Taken, Wire, Work
from infra.lab.transports.udp import LARGEST

DATA, HEARTBEAT, REQUEST = b"D", b"H", b"R"
NUMBER, RANGE = struct.Struct(">Q"), struct.Struct(">QQ")
HEARTBEAT_SECONDS = 0.02
ASK_SECONDS = 0.05
"""How long a consumer waits for an answer before it asks again; the answer, or the question, may be lost too."""
AT_ONCE = 64
"""Messages per request: so many datagrams fit into a socket's buffer."""


class NumberedSender:
    """Sends datagrams and heartbeats, and answers requests in a thread of its own."""

    def __init__(self, wire: Wire, taken: Taken) -> None:
        self._taken = taken
        self._size = wire.history
        self._history: History | None = None
        self._lock = threading.Lock()
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((wire.host, wire.port))
        self._targets = [(wire.host, wire.port + consumer) for consumer in wire.each]
        threading.Thread(target=self._answer, daemon=True).start()

    def wait_for(self, consumers: int) -> None:
        """Nothing: a datagram needs no connection, and a consumer that comes later asks for what it lacks."""

    def send(self, number: int, message: bytes) -> None:
        """Keep the message and send it. The history begins with the first message."""
        with self._lock:
            if self._history is None:
                self._history = History(self._size, number)
            self._history.put(number, message)
        for target in self._targets:
            self._socket.sendto(DATA + NUMBER.pack(number) + message, target)
        self._taken(number)

    def flush(self) -> None:
        """Nothing to wait for: it answers requests for as long as its process lives."""

    def _answer(self) -> None:
        beat = 0.0
        while True:
            if select.select([self._socket], [], [], HEARTBEAT_SECONDS)[0]:
                asked, who = self._socket.recvfrom(LARGEST)
                if asked[:1] == REQUEST:
                    with self._lock:
                        again = self._history.asked(*RANGE.unpack_from(asked, 1)) if self._history else []
                    for number, message in again:
                        self._socket.sendto(DATA + NUMBER.pack(number) + message, who)
            if time.monotonic() - beat >= HEARTBEAT_SECONDS and self._history:
                beat = time.monotonic()
                with self._lock:
                    held = self._history.held
                for target in self._targets:
                    self._socket.sendto(HEARTBEAT + RANGE.pack(*held), target)


class NumberedReceiver:
    """Gives messages on in their order, and asks the producer for those that are missing."""

    def __init__(self, wire: Wire, consumer: int, first: int) -> None:
        self._producer = (wire.host, wire.port)
        self._gaps = Gaps(first)
        self._asked: tuple[int, float] | None = None
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((wire.host, wire.port + consumer))
        limit(self._socket, wire)

    def run(self, work: Work, leaving: Callable[[], bool]) -> None:
        """Work on each message, in order; what a consumer has not processed it asks for when it is back."""
        with self._socket:
            while not leaving():
                if select.select([self._socket], [], [], POLL_SECONDS)[0]:
                    for message in self._took(self._socket.recv(LARGEST)):
                        work(message)
                self._ask()

    def _took(self, datagram: bytes) -> list[bytes]:
        if datagram[:1] == DATA:
            return self._gaps.came(NUMBER.unpack_from(datagram, 1)[0], datagram[1 + NUMBER.size :])
        return self._gaps.heard(Held(*RANGE.unpack_from(datagram, 1)))

    def _ask(self) -> None:
        """Ask for the first missing numbers: at once if they are others than before, else after ASK_SECONDS."""
        if (missing := self._gaps.missing(AT_ONCE)) is None:
            self._asked = None
            return
        now = time.monotonic()
        # Half an answer moves the start: only a start beyond what was asked for is a new question.
        if self._asked is None or missing[0] >= self._asked[0] or now >= self._asked[1]:
            self._asked = missing[1], now + ASK_SECONDS
            self._socket.sendto(REQUEST + RANGE.pack(*missing), self._producer)
