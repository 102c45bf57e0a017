"""A connection to the queue broker, by STOMP 1.2: send to a queue, take from it, acknowledge.

Data flow: bytes -> a queue -> Delivery -> acknowledged, or delivered again
Run: daybreak lab queue
Source: "STOMP Protocol Specification, Version 1.2"; Artemis's manual, "STOMP".

One thread of the library reads the connection. A broker that refuses something says so and closes the connection, so the next
call raises. Messages that a consumer has taken and not acknowledged go back to their queue when its connection ends. There is no
refusal of a single message: Artemis takes STOMP's NACK for an acknowledgement, and the message is gone.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from queue import Empty
from types import MappingProxyType, TracebackType

import stomp
from stomp.exception import ConnectFailedException, NotConnectedException
from stomp.utils import Frame, convert_frame, pack

from infra.failures import PermanentFailure, TransientFailure
from infra.queue.broker import Broker
from infra.queue.heard import Delivery, Heard

SECONDS = 20
"""Longest wait for an answer of the broker."""
ONE = 0
"""A window (bytes of unacknowledged messages on their way to a consumer) that lets one message through at a time."""
WINDOW = 1_000_000
QUEUE = MappingProxyType({"destination-type": "ANYCAST"})
"""Each message goes to one of the queue's consumers. Without it, each subscriber of an address gets every message (fan-out)."""
FAN_OUT = MappingProxyType({"destination-type": "MULTICAST"})

COPIES = 500
NOT_SENT = "AMQ339011"
"""What the broker says, without a reason, when it does not take a message."""
NOBODY = "nobody"
"""An address without subscribers: what is sent there is gone."""


class Connection:
    """A context manager around one connection. A process that is killed leaves the same as one that closes it.

    Raises TransientFailure if the broker is away, PermanentFailure if it refuses user or password.
    """

    def __init__(self, broker: Broker) -> None:
        # What goes wrong is raised; the library's own complaints would fill the screen.
        stomp.log.setLevel(logging.CRITICAL)
        self._heard = Heard()
        self._stomp = stomp.Connection12(
            [(broker.host, broker.port)],
            heartbeats=(0, 0),
            reconnect_attempts_max=1,
            auto_decode=False,
            auto_content_length=False,
        )
        self._stomp.set_listener("", self._heard)
        self._asked = 0
        with suppress(ConnectFailedException, NotConnectedException, OSError):
            self._stomp.connect(broker.user, broker.password)
            self._heard.answered.wait(SECONDS)
        if self._heard.error:
            raise PermanentFailure(
                f"the queue broker refuses the user {broker.user!r}: is DAYBREAK_QUEUE_PASSWORD the one that it was started "
                f"with? (daybreak restart queue; it says: {self._heard.error})"
            )
        if not self._heard.let_in:
            raise TransientFailure(f"the queue broker does not answer on port {broker.port}: see `daybreak status`")

    def send(
        self,
        to: str,
        body: bytes,
        *,
        durable: bool = True,
        text: bool = False,
        taken: Callable[[], None] | None = None,
        headers: Mapping[str, str] = QUEUE,
    ) -> None:
        """Send a message; it may be on its way when this returns. Blocks while the broker lets senders wait.

        `durable`: it outlives the broker's death. `text`: for the broker it is a text (UTF-8). `taken` is called, in the
        library's thread, when the broker has it, and on disk if it is durable. Raises TransientFailure if the connection
        has ended or the broker has refused something.
        """
        more = {"persistent": str(durable).lower(), **headers}
        if not text:
            # By this header alone the broker tells bytes from a text.
            more["content-length"] = str(len(body))
        if taken:
            more["receipt"] = self._ask(taken)
        self._transmit("SEND", {"destination": to, **more}, body)

    def send_copies(self, to: str, body: bytes, count: int) -> None:
        """Send a durable message so many times, many with one call: a million take seconds. Raises as `send` does."""
        headers = {"destination": to, "content-length": str(len(body)), "persistent": "true", **QUEUE}
        one: bytes = pack(convert_frame(Frame("SEND", headers, body)))
        for left in range(count, 0, -COPIES):
            self.check()
            try:
                self._stomp.transport.send(one * min(left, COPIES))
            except (NotConnectedException, OSError):
                self._heard.ended.set()

    def flush(self, seconds: float = SECONDS) -> None:
        """Wait until the broker has all that was sent. Raises TransientFailure if it does not say so in time."""
        has_all = threading.Event()
        # It answers for messages in their order, and nobody gets this one. (It answers for other commands out of turn.)
        self.send(NOBODY, b"", durable=False, taken=has_all.set, headers=FAN_OUT)
        self._wait(has_all, seconds)

    def subscribe(self, source: str, *, window: int = WINDOW, headers: Mapping[str, str] = QUEUE) -> None:
        """Take messages from a queue, or from an address with FAN_OUT. At most `window` bytes of them are unacknowledged."""
        kind = {"subscription-type": headers["destination-type"], **headers}
        own = {"destination": source, "id": source, "ack": "client-individual", "consumer-window-size": str(window)}
        self._transmit("SUBSCRIBE", own | kind)

    def receive(self, seconds: float) -> Delivery | None:
        """The next message, or None if there is none for so long. Raises TransientFailure if the connection has ended."""
        try:
            return self._heard.deliveries.get(timeout=seconds)
        except Empty:
            self.check()
            return None

    def acknowledge(self, delivery: Delivery, *, wait: bool = False) -> None:
        """The work on it is done: the broker deletes it. If this is to `wait`, it has done so when this returns."""
        done = threading.Event()
        self._transmit("ACK", {"id": delivery.receipt, **({"receipt": self._ask(done.set)} if wait else {})})
        if wait:
            self._wait(done, SECONDS)

    def unsubscribe(self, source: str) -> None:
        """Take no more of them; those that are not acknowledged go back when the connection ends."""
        self._transmit("UNSUBSCRIBE", {"id": source})

    def check(self) -> None:
        """Raises TransientFailure if the connection has ended, with what the broker said."""
        if NOT_SENT in self._heard.error:
            raise TransientFailure(
                f"the queue broker refuses a message ({NOT_SENT}): its queue is full, until somebody consumes or "
                "DAYBREAK_QUEUE_DISK_MB is higher; or its log names another reason: daybreak logs queue"
            )
        if self._heard.error:
            raise TransientFailure(f"the queue broker refuses: {self._heard.error}")
        if self._heard.ended.is_set():
            raise TransientFailure("the connection to the queue broker has ended: see `daybreak status`")

    def close(self) -> None:
        """Say good-bye and end it."""
        with suppress(NotConnectedException, OSError):
            self._stomp.disconnect()
            self._heard.ended.wait(SECONDS)

    def __enter__(self) -> "Connection":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _wait(self, answer: threading.Event, seconds: float) -> None:
        give_up = time.monotonic() + seconds
        while not answer.wait(0.05):
            self.check()
            if time.monotonic() > give_up:
                raise TransientFailure(f"the queue broker did not answer within {seconds:g} s")

    def _ask(self, then: Callable[[], None]) -> str:
        self._asked += 1
        receipt = str(self._asked)
        self._heard.awaited[receipt] = then
        return receipt

    def _transmit(self, command: str, headers: dict[str, str], body: bytes = b"") -> None:
        self.check()
        try:
            self._stomp.send_frame(command, headers, body)
        except (NotConnectedException, OSError):
            self._heard.ended.set()
            self.check()
